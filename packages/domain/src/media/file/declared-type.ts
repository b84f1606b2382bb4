import { essenceOf } from '@attache/contracts/media-type';
import { classifyMediaType } from '../../file-type/classify-media-type.ts';

/** The type of a file of which nothing else is known. */
export const GENERIC_TYPE = 'application/octet-stream';
/** Characters before an encoding in which its declared type may appear. */
export const LOOK_BEHIND = 640;
/** And behind it. */
export const LOOK_AHEAD = 256;

const quote = String.raw`\\{0,64}"`;
const typeKey = '(?:mime_?type|media_?type|content_?type)';
const typeBefore = new RegExp(
  `${quote}${typeKey}${quote}\\s*:\\s*${quote}([^"\\\\\\s]{3,200}(?:\\\\{1,64}/[^"\\\\\\s]{1,127})?)`,
  'gi',
);
const typeBehind = new RegExp(
  `^${quote}(?:\\s*,\\s*${quote}[a-z_]{1,32}${quote}\\s*:\\s*(?:${quote}[^"\\\\{}]{0,200}${quote}|[\\w.-]{1,32}))*?\\s*,\\s*${quote}${typeKey}${quote}\\s*:\\s*${quote}([^"\\\\\\s]{3,200}(?:\\\\{1,64}/[^"\\\\\\s]{1,127})?)`,
  'i',
);
const blockBefore = new RegExp(
  `${quote}type${quote}\\s*:\\s*${quote}(image|audio)${quote}|${quote}(input_audio)${quote}\\s*:|${quote}(inline_?data)${quote}\\s*:`,
  'i',
);
const mailHead = /content-type:[ \t]*([^\s;]{3,127})/gi;
const LOWER_A = 0x61;
const LOWER_B = 0x62;
const dataKey = /(?:data|blob)$/i;

/** Whether a text is worth a look: a media type that is no text, and so a file. */
export function isFileType(mimeType: string | undefined): mimeType is string {
  // None of the registry's other trees holds files; `data:` may precede anything that has a slash and a comma.
  if (mimeType === undefined || !/^(?:image|audio|video|application|font|model)\//.test(mimeType)) return false;
  return mimeType === 'image/svg+xml' || classifyMediaType(mimeType) !== 'text';
}

/** Whether what begins at `at` is the value of a key that holds a file in the blocks of MCP, ACP and the model APIs. */
export function isFileValue(text: string, at: number): boolean {
  if (text.charCodeAt(at - 1) !== 0x22) return false;
  let end = at - 2;
  for (let steps = 0; steps < 80 && ': \t\n\r\\'.includes(text.charAt(end)); steps += 1) end -= 1;
  if (text.charCodeAt(end) !== 0x22) return false;
  end -= 1;
  while (text.charCodeAt(end) === 0x5c) end -= 1;
  // Hardly any key in an ordinary text ends like this.
  const last = text.charCodeAt(end) | 0x20;
  return (last === LOWER_A || last === LOWER_B) && dataKey.test(text.slice(Math.max(0, end - 3), end + 1));
}

/** The type that the same object declares before its value; `application/octet-stream` where it only says that there is a file. */
export function typeDeclaredBefore(text: string, at: number): string | undefined {
  const before = text.slice(Math.max(0, at - LOOK_BEHIND), at);
  const object = before.slice(Math.max(0, before.lastIndexOf('}')));
  const declared = [...object.matchAll(typeBefore)].at(-1)?.[1];
  if (declared !== undefined) return essenceOf(declared.replaceAll('\\', ''));
  return blockBefore.test(object) ? GENERIC_TYPE : undefined;
}

/** The type that the same object declares behind its value, which ends at `at`. */
export function typeDeclaredBehind(text: string, at: number): string | undefined {
  const declared = typeBehind.exec(text.slice(at, at + LOOK_AHEAD))?.[1];
  return declared === undefined ? undefined : essenceOf(declared.replaceAll('\\', ''));
}

/** The type of a part of mail whose base64 begins at `at`, behind the blank line that ends its head. */
export function typeOfMailPart(text: string, at: number): string | undefined {
  if (!/(?:\r?\n){2}$/.test(text.slice(Math.max(0, at - 4), at))) return undefined;
  const before = text.slice(Math.max(0, at - LOOK_BEHIND), at);
  const head =
    before
      .trimEnd()
      .split(/(?:\r?\n){2}/)
      .at(-1) ?? '';
  if (!/content-transfer-encoding:[ \t]*base64/i.test(head)) return undefined;
  const declared = [...head.matchAll(mailHead)].at(-1)?.[1];
  return declared === undefined ? undefined : essenceOf(declared);
}
