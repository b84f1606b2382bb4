import type { Warning } from '@attache/contracts';
import type { InspectReply, Problem } from '../../worker-protocol.ts';
import type { DetectedFile } from '../media-kind.ts';
import { describeDecoderError, sharp } from './decoder.ts';
import { findImageEnd } from './find-image-end.ts';
import { findHeifDamage } from './heif/decode-heif.ts';
import { imageSource } from './image-source.ts';
import { type ImageHeader, isLack, readImageHeader, readTiffFacts } from './read-image-header.ts';
import { hasForgivenEnd } from './sniff.ts';
import { lacksTiles } from './structure/read-tiff.ts';

/** Facts of an image, once the whole of it has been decoded: a cut-off file never passes for a good one. */
export async function inspectImage(file: DetectedFile): Promise<InspectReply> {
  const { mimeType } = file;
  const reject = (problem: Problem): InspectReply => ({ status: 'rejected', mimeType, problem });
  const header = await readImageHeader(file);
  // A codec that we lack is no damage: ready with what is known, and no variant can be made (DL-70).
  if ('code' in header)
    return isLack(header)
      ? { status: 'ready', mimeType, facts: readTiffFacts(file.path), warnings: [] }
      : reject(header);
  const { facts } = header;
  const end = findImageEnd(file.path, mimeType);
  const isCutOff = mimeType === 'image/tiff' ? lacksTiles(file.path) : hasForgivenEnd(mimeType) && end === undefined;
  const damage = isCutOff ? cutOff : await (header.isHevc ? findHeifDamage(file.path) : findDamage(file, header));
  if (damage && !isLack(damage)) return reject(damage);
  return { status: 'ready', mimeType, facts, warnings: describeTrailingBytes(file.sizeBytes, end) };
}

const cutOff: Problem = { code: 'attachment_corrupt_image', diagnostic: 'The end of the image is missing.' };

/** Up to so many pixels are held as they are: making a thumbnail of them takes longer. */
const HELD_PIXELS = 1_000_000;

/** Formats whose decoder makes them smaller, in less time than it needs for all pixels. */
const shrunkOnLoad = new Set(['image/jpeg', 'image/webp']);

// Every pixel is decoded, but of a large image only a thumbnail is ever held.
async function findDamage(file: DetectedFile, { width, height, frames }: ImageHeader): Promise<Problem | undefined> {
  const { path, mimeType, maxPixels } = file;
  const image = sharp(imageSource(path), {
    limitInputPixels: maxPixels,
    failOn: 'error',
    sequentialRead: true,
    pages: frames > 1 ? -1 : 1,
  });
  const isHeld = width * height * frames <= HELD_PIXELS && !shrunkOnLoad.has(mimeType);
  try {
    await (isHeld ? image : image.resize(16, 16, { fit: 'fill' })).raw().toBuffer();
    return undefined;
  } catch (error) {
    return describeDecoderError(error, file);
  }
}

function describeTrailingBytes(sizeBytes: number, end: number | undefined): Warning[] {
  if (end === undefined || end >= sizeBytes) return [];
  const message = `${sizeBytes - end} bytes follow the end of the image.`;
  return [{ code: 'trailing_bytes', severity: 'warning', message }];
}
