import { type Base64Run, escapeLength, readBase64Run } from './base64-run.ts';

/** The place of something in a text that a log line must not hold. It need not decode: a log line is redacted on suspicion. */
export type MediaSpan = { start: number; end: number; form: 'data-url' | 'base64' };

const COLON = 0x3a;
const dataUrlHead = /data:([A-Za-z0-9!#$&^_.+/\\;=%-]{0,200}),/iy;
const percentPayload = /[^\s"'`<>\\)\]}]+/y;

/** Finds data URLs, and base64 of at least `minCharacters`, in order and without overlap. Linear in the text's length. */
export function findMediaSpans(text: string, minCharacters: number): MediaSpan[] {
  const spans: MediaSpan[] = [];
  let index = 0;
  while (index < text.length) {
    const run = readBase64Run(text, index);
    if (run.characters === 0) {
      index += Math.max(1, escapeLength(text, index));
      continue;
    }
    const url = readDataUrl(text, run.end);
    const end = url?.start ?? run.end;
    if (
      run.characters - (run.end - end) >= minCharacters &&
      isData(run) &&
      !isPath(text.slice(index, end), minCharacters)
    )
      spans.push({ start: index, end, form: 'base64' });
    if (url !== undefined) spans.push(url);
    index = url?.end ?? run.end;
  }
  return spans;
}

// Rulers and paths of dashes are no data: of 64 base64 characters 62 are letters and digits.
function isData(run: Base64Run): boolean {
  return run.letters * 4 >= run.characters;
}

const MAX_PATH_CHARACTERS = 4_096;
const LEAST_WORDS = 3;
const word = /^[._-]?[a-z]{3,}(?:[_-][a-z0-9]+)*$/;

/** Whether a run is the path of a file: names that are words in small letters, and little else. Base64 has few slashes, and no words between them. */
function isPath(run: string, minCharacters: number): boolean {
  if (run.length > MAX_PATH_CHARACTERS) return false;
  const names = run.split('/');
  const words = names.filter((name) => word.test(name));
  const otherCharacters = run.length - words.join('/').length;
  return words.length >= LEAST_WORDS && otherCharacters < minCharacters;
}

/** The data URL whose scheme ends at `colon`, if one does. Its scheme is spelled in base64 characters, so a run was read first. */
function readDataUrl(text: string, colon: number): MediaSpan | undefined {
  if (text.charCodeAt(colon) !== COLON || colon < 4) return undefined;
  const start = colon - 4;
  dataUrlHead.lastIndex = start;
  const head = dataUrlHead.exec(text);
  if (head === null) return undefined;
  const description = (head[1] ?? '').replaceAll('\\', '');
  const encoding = /;base64$/i.test(description) ? 'base64' : 'percent';
  const mimeType = description.split(';')[0]?.toLowerCase() || undefined;
  if (encoding === 'percent' && !mimeType?.includes('/')) return undefined;
  const payloadStart = start + head[0].length;
  const end = encoding === 'base64' ? readBase64Run(text, payloadStart).end : percentEnd(text, payloadStart);
  if (end === payloadStart) return undefined;
  return { start, end, form: 'data-url' };
}

function percentEnd(text: string, start: number): number {
  percentPayload.lastIndex = start;
  return start + (percentPayload.exec(text)?.[0].length ?? 0);
}
