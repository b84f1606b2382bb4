import { openAsBlob } from 'node:fs';
import type { AttachmentFacts } from '@attache/contracts';
// Alone: a worker starts with little.
import { sniffMediaType } from '@attache/domain/sniff-media-type';
import { fileTypeFromBlob, fileTypeFromBuffer } from 'file-type';
import { unifyMediaType } from '../media-type-spellings.ts';
import { countControls, decodeOpening } from './decode-file.ts';
import { readHead } from './read-file.ts';
import { detectEncoding } from './text/detect-encoding.ts';
import { detectMarkup } from './text/detect-markup.ts';

/** `isWeak`: only a few bits of it say so, and where no parser agrees it is something else. */
export type DetectedType = { mimeType: string; facts: AttachmentFacts; isWeak?: boolean };

type Claims = { path: string; textType?: string | undefined };

const unknownType = 'application/octet-stream';

/**
 * What a file begins like. What was declared or named counts only among types of text, which bytes cannot tell apart. Facts hold the
 * encoding of text and whether an image is known to move.
 */
export async function detectType({ path, textType }: Claims): Promise<DetectedType> {
  const head = readHead(path);
  const magic = await detectMagic(path, head);
  if (magic !== undefined && isSurelyBinary(magic, head)) return describeBinary(magic, head);
  return detectText(path, head, magic, textType);
}

/** The type of a file that is no format of which the first bytes tell: text where all of it decodes. */
export function detectText(path: string, head: Buffer, magic?: string, textType?: string): DetectedType {
  const encoding = detectEncoding(path);
  if (encoding === undefined) return { mimeType: unknownType, facts: {} };
  const opening = decodeOpening(head, encoding.encoding);
  return { mimeType: nameTextType(opening, magic, textType), facts: encoding };
}

async function detectMagic(path: string, head: Buffer): Promise<string | undefined> {
  // Readers of PDF forgive blanks before the magic number.
  if (/^\s*%PDF-/.test(head.toString('latin1', 0, 1024))) return 'application/pdf';
  // What its parsers cannot read has no magic number.
  const atOnce = await fileTypeFromBuffer(head).catch(() => undefined);
  if (!saysMoreLater(atOnce?.mime, head)) return checkMagic(essenceOf(atOnce?.mime), head);
  // As a blob: for a path it loads a module at run time, which a bundle does not have.
  const whole = await fileTypeFromBlob(await openAsBlob(path)).catch(() => undefined);
  return checkMagic(essenceOf(whole?.mime ?? atOnce?.mime), head);
}

// The label that the upload got counts where the library has none, or goes by two letters.
function checkMagic(found: string | undefined, head: Buffer): string | undefined {
  const sniffed = sniffMediaType(head);
  if (found !== undefined && found !== 'image/bmp') return found;
  return sniffed === undefined || isTextFormat(sniffed) ? undefined : sniffed;
}

const essenceOf = (mimeType: string | undefined): string | undefined => mimeType?.split(';', 1)[0];

// Containers say behind their beginning what they hold, and sound stands behind its title picture. All else is known at once.
function saysMoreLater(mimeType: string | undefined, head: Buffer): boolean {
  return mimeType === 'application/zip' || mimeType === 'application/x-cfb' || head.toString('latin1', 0, 3) === 'ID3';
}

// Some magic numbers are two letters ("BM", "MZ") with which a text may start: where all reads as plain text, it is text.
function isSurelyBinary(mimeType: string, head: Buffer): boolean {
  if (mimeType === 'application/pdf') return true;
  return !isTextFormat(mimeType) && !isPlainText(head);
}

function isPlainText(head: Buffer): boolean {
  try {
    return countControls(new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })) === 0;
  } catch {
    return false;
  }
}

function describeBinary(mimeType: string, head: Buffer): DetectedType {
  const facts = mimeType === 'image/apng' ? { animated: true } : {};
  const isTagged = head.toString('latin1', 0, 3) === 'ID3';
  const isWeak = (mimeType === 'audio/mpeg' && !isTagged) || mimeType === 'audio/aac';
  return { mimeType: unifyMediaType(mimeType.toLowerCase()), facts, isWeak };
}

// Formats of text that have a magic number.
function isTextFormat(mimeType: string): boolean {
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
