import { openAsBlob } from 'node:fs';
import type { AttachmentFacts, Warning } from '@attache/contracts';
// One by one: a worker starts with little.
import { unifyMediaType } from '@attache/domain/media-type-spellings';
import { isTextFormat } from '@attache/domain/name-text-type';
import { sniffMediaType } from '@attache/domain/sniff-media-type';
import { isPlainText } from '@attache/domain/text-check';
import { fileTypeFromBlob, fileTypeFromBuffer } from 'file-type';
import { readHead } from '../file/read-file.ts';
import { isTagged } from './audio-video/sniff.ts';
import { findKind, kinds } from './kinds.ts';
import type { Hint } from './media-kind.ts';
import { endsAsPdf } from './pdf/detect/ends-as-pdf.ts';
import { lacksObjects } from './pdf/detect/lacks-objects.ts';
import { sniffText } from './text/sniff.ts';

export type DetectedType = Hint & { mimeType: string; facts: AttachmentFacts; warnings?: Warning[] };

const PDF = 'application/pdf';

type Claims = { path: string; textType?: string | undefined };

/**
 * Detects the type of a file from its beginning. The declared or named type counts only among types of text, which bytes cannot tell apart. Facts hold the
 * encoding of text.
 */
export async function detectType({ path, textType }: Claims): Promise<DetectedType> {
  const head = readHead(path);
  for (const { sniff } of kinds) {
    const mimeType = sniff?.(head);
    if (mimeType !== undefined) return (await readQuote(mimeType, { path, head, textType })) ?? { mimeType, facts: {} };
  }
  const magic = await detectMagic(path, head);
  if (magic !== undefined && isSurelyBinary(magic, { path, head })) return describeBinary(magic, head);
  return sniffText({ path, head, magic, textType });
}

/** A text that begins with the header of a PDF, such as a log or a guide that quotes one. */
async function readQuote(
  mimeType: string,
  { path, head, textType }: Claims & { head: Buffer },
): Promise<DetectedType | undefined> {
  if (mimeType !== PDF || !isPlainText(head) || !lacksObjects(path, head)) return undefined;
  const text = await sniffText({ path, head, textType });
  return text.facts.encoding === undefined ? undefined : text;
}

async function detectMagic(path: string, head: Buffer): Promise<string | undefined> {
  // A file that the library's parsers cannot read has no magic number.
  const atOnce = await fileTypeFromBuffer(head).catch(() => undefined);
  if (!saysMoreLater(atOnce?.mime, head)) return checkMagic(essenceOf(atOnce?.mime), head);
  // As a blob: for a path it loads a module at run time, which a bundle does not have.
  const whole = await fileTypeFromBlob(await openAsBlob(path)).catch(() => undefined);
  return checkMagic(essenceOf(whole?.mime ?? atOnce?.mime), head);
}

// The label that the upload got counts where the library has none, goes by two letters, or has one name for the layers of MPEG audio.
function checkMagic(found: string | undefined, head: Buffer): string | undefined {
  const sniffed = sniffMediaType(head);
  if (found === 'audio/mpeg') return sniffed ?? found;
  if (found === 'image/x-icon' && !holdsIcons(head)) return undefined;
  if (found !== undefined && found !== 'image/bmp') return found;
  return sniffed === undefined || isTextFormat(sniffed) ? undefined : sniffed;
}

// Four bytes that a TGA has, too. An icon continues with how many pictures it holds, and the size and place of the first.
function holdsIcons(head: Buffer): boolean {
  if (head.length < 22) return false;
  const count = head.readUInt16LE(4);
  return count > 0 && head[9] === 0 && head.readUInt32LE(14) > 0 && head.readUInt32LE(18) >= 6 + 16 * count;
}

const essenceOf = (mimeType: string | undefined): string | undefined => mimeType?.split(';', 1)[0];

// Containers say behind their beginning what they hold, and sound follows its title picture. All else is known at once.
function saysMoreLater(mimeType: string | undefined, head: Buffer): boolean {
  return mimeType === 'application/zip' || mimeType === 'application/x-cfb' || isTagged(head);
}

// Some magic numbers are two letters ("BM", "MZ") with which a text may start: where all reads as plain text, it is text. Only a PDF can be all text, and is
// one if it is nothing else to its end.
function isSurelyBinary(mimeType: string, { path, head }: { path: string; head: Buffer }): boolean {
  if (isTextFormat(mimeType)) return false;
  return !isPlainText(head) || (mimeType === PDF && endsAsPdf(path));
}

function describeBinary(magic: string, head: Buffer): DetectedType {
  const mimeType = unifyMediaType(magic.toLowerCase());
  return { facts: {}, ...findKind(mimeType).readHint?.(magic, head), mimeType };
}
