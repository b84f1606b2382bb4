import type { AttachmentFacts } from '@attache/contracts';
import { countControls, decodeOpening } from './decode-file.ts';
import { detectEncoding } from './detect-encoding.ts';
import { detectMarkup } from './detect-markup.ts';

type TextClues = {
  path: string;
  head: Buffer;
  /** The type by a magic number that text may begin with, too. */
  magic?: string | undefined;
  /** The declared or named type of text. */
  textType?: string | undefined;
};

/** The type of a file that is no format of which the first bytes tell: text where all of it decodes. */
export function sniffText({ path, head, magic, textType }: TextClues): { mimeType: string; facts: AttachmentFacts } {
  const encoding = detectEncoding(path);
  if (encoding === undefined) return { mimeType: 'application/octet-stream', facts: {} };
  const opening = decodeOpening(head, encoding.encoding);
  return { mimeType: nameTextType(opening, magic, textType), facts: encoding };
}

/** Whether all of this is UTF-8 without control characters. */
export function isPlainText(head: Buffer): boolean {
  try {
    return countControls(new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })) === 0;
  } catch {
    return false;
  }
}

/** Formats of text that have a magic number. */
export function isTextFormat(mimeType: string): boolean {
  return /^text\/|[/+]xml$|^application\/rtf$/.test(mimeType);
}

function nameTextType(opening: string, magic: string | undefined, declared: string | undefined): string {
  switch (detectMarkup(opening)?.type) {
    case 'svg':
      return 'image/svg+xml';
    case 'html':
      return declared === 'application/xhtml+xml' ? declared : 'text/html';
    case 'weak-html':
      return declared ?? 'text/html';
    case 'xml':
      return declared !== undefined && /[/+]xml$/.test(declared) ? declared : 'application/xml';
    default:
      return magic !== undefined && isTextFormat(magic) ? magic : (declared ?? 'text/plain');
  }
}
