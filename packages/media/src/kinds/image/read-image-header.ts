import { crc32 } from 'node:zlib';
import type { AttachmentFacts } from '@attache/contracts';
import { readHead } from '../../file/read-file.ts';
import type { Problem } from '../../worker-protocol.ts';
import { describeDecoderError, sharp } from './decoder.ts';
import { imageSource } from './image-source.ts';
import { isAnimatedFormat } from './sniff.ts';
import { countFrames } from './structure/count-frames.ts';
import { readTiff } from './structure/read-tiff.ts';

type ImageFile = { path: string; mimeType: string; maxPixels: number };
type Size = { width: number; height: number };

/**
 * Sizes are the decoder's, after EXIF orientation; what people learn of the file is in `facts`. `frames` are those that the decoder decodes.
 * `isHevc`: its pixels need the decoder of HEIC.
 */
export type ImageHeader = Size & { frames: number; isHevc: boolean; hasAlpha: boolean; facts: AttachmentFacts };

/**
 * Size and form of an image from its header, after EXIF orientation; nothing is decoded. A problem if the header is broken, or announces more pixels than
 * allowed in all frames together.
 */
export async function readImageHeader(file: ImageFile): Promise<ImageHeader | Problem> {
  try {
    const screen = file.mimeType === 'image/gif' ? readGifScreen(file.path) : undefined;
    const refused = screen && checkPixels(screen, 1, file.maxPixels);
    if (refused) return refused;
    const header = await sharp(imageSource(file.path), { limitInputPixels: false, failOn: 'error' }).metadata();
    const { width, height } = header.autoOrient;
    const images = header.pages ?? 1;
    const frames = isAnimatedFormat(file.mimeType) ? images : 1;
    const shown = isAnimatedFormat(file.mimeType) ? images : countFrames(file.path, file.mimeType);
    const { hasAlpha } = header;
    const isHevc = header.format === 'heif' && !holdsAv1(file);
    const facts = {
      ...(screen ?? { width, height }),
      ...(shown !== undefined && { animated: shown > 1 }),
      hasAlpha,
      ...(shown !== undefined && shown > 1 && { frames: shown }),
      ...(file.mimeType === 'image/tiff' && { pages: images }),
    };
    // Frames larger than the screen make the decoder take more.
    const largest = { width: Math.max(width, facts.width), height: Math.max(height, facts.height) };
    return checkPixels(largest, frames, file.maxPixels) ?? { width, height, frames, isHevc, hasAlpha, facts };
  } catch (error) {
    const problem = describeDecoderError(error, file);
    // Beyond its own bounds, and of a kind that it lacks, the decoder does not even name the size.
    const size = file.mimeType === 'image/png' ? readPngSize(file.path) : isLack(problem) && readTiff(file.path);
    return (size && checkPixels(size, 1, file.maxPixels)) || problem;
  }
}

/** Whether the decoder lacks what this kind of image needs, so that nothing says that it is damaged. */
export function isLack(problem: Problem): boolean {
  return problem.code === 'attachment_type_unsupported';
}

/** Facts of a TIFF whose kind the decoder lacks. */
export function readTiffFacts(path: string): AttachmentFacts {
  const picture = readTiff(path);
  if (picture === undefined) return {};
  const { width, height, hasAlpha, pages } = picture;
  return { width, height, animated: false, hasAlpha, pages };
}

function checkPixels({ width, height }: Size, frames: number, maxPixels: number): Problem | undefined {
  if (width * height * frames <= maxPixels) return undefined;
  return {
    code: 'attachment_pixels_exceeded',
    diagnostic: 'Refused from the header; nothing was decoded.',
    safeDetails: { width, height, frames, maxPixels },
  };
}

// A HEIF container may hold AV1 instead of HEVC, whatever it calls itself; each coding brings its configuration.
function holdsAv1({ path, mimeType }: ImageFile): boolean {
  if (mimeType === 'image/avif') return true;
  const head = readHead(path);
  return head.includes('av1C') && !head.includes('hvcC');
}

// Reads only a whole header: noise after the signature gives no size.
function readPngSize(path: string): Size | undefined {
  const head = readHead(path);
  if (head.length < 33 || head.readUInt32BE(8) !== 13 || head.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  if (crc32(head.subarray(12, 29)) !== head.readUInt32BE(29)) return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

// The screen for which a viewer makes room. The decoder takes the size of the first frame instead if it finds the screen too large.
function readGifScreen(path: string): Size | undefined {
  const head = readHead(path);
  if (head.length < 13) return undefined;
  const screen = { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  return screen.width > 0 && screen.height > 0 ? screen : undefined;
}
