import { openAsBlob } from 'node:fs';
import type { AttachmentFacts } from '@attache/contracts';
import { fileTypeFromBlob, fileTypeFromBuffer } from 'file-type';
import { unifyMediaType } from '../media-type-spellings.ts';
import { countControls } from './decode-file.ts';
import { detectEncoding } from './detect-encoding.ts';
import { detectMarkup } from './detect-markup.ts';
import { readHead } from './read-file.ts';

export type DetectedType = { mimeType: string; facts: AttachmentFacts };

type Claims = { path: string; declaredTextType?: string | undefined; sniffedType?: string | undefined };

const unknownType = 'application/octet-stream';

/**
 * Finds the type by content. What was declared counts only among types of text, which bytes cannot tell apart. Facts hold the
 * encoding of text and whether an image is known to move.
 */
export async function detectType({ path, declaredTextType, sniffedType }: Claims): Promise<DetectedType> {
  const head = readHead(path);
  const magic = await detectMagic(path, head);
  const binary = magic ?? sniffedType;
  if (binary !== undefined && isSurelyBinary(binary, head)) return describeBinary(binary);
  const encoding = detectEncoding(path);
  if (encoding === undefined) return { mimeType: unknownType, facts: {} };
  const opening = new TextDecoder(encoding.encoding).decode(head, { stream: true });
  return { mimeType: nameTextType(opening, magic, declaredTextType), facts: encoding };
}

async function detectMagic(path: string, head: Buffer): Promise<string | undefined> {
  // Readers of PDF forgive blanks before the magic number.
  if (/^\s*%PDF-/.test(head.toString('latin1', 0, 1024))) return 'application/pdf';
  // What its parsers cannot read has no magic number.
  const atOnce = await fileTypeFromBuffer(head).catch(() => undefined);
  if (!saysMoreLater(atOnce?.mime, head)) return essenceOf(atOnce?.mime);
  // As a blob: for a path it loads a module at run time, which a bundle does not have.
  const whole = await fileTypeFromBlob(await openAsBlob(path)).catch(() => undefined);
  return essenceOf(whole?.mime ?? atOnce?.mime);
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

function describeBinary(mimeType: string): DetectedType {
  return { mimeType: unifyMediaType(mimeType), facts: mimeType === 'image/apng' ? { animated: true } : {} };
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
