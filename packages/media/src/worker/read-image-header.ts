import type { AttachmentFacts } from '@attache/contracts';
import type { Problem } from '../worker-protocol.ts';
import { describeDecoderError, sharp } from './decoder.ts';
import { isAnimatedFormat } from './image-formats.ts';
import { readHead } from './read-file.ts';

type ImageFile = { path: string; mimeType: string; maxPixels: number };
type Size = { width: number; height: number };

/** `frames` is 1 for an image that does not move. `isHevc`: its pixels need the decoder of HEIC. */
export type ImageHeader = Size & { frames: number; isHevc: boolean; hasAlpha: boolean; facts: AttachmentFacts };

/**
 * Size and form of an image from its header, after EXIF orientation; nothing is decoded. A problem where the header is broken, or
 * tells of more pixels than allowed in all frames together.
 */
export async function readImageHeader(file: ImageFile): Promise<ImageHeader | Problem> {
  try {
    const header = await sharp(file.path, { limitInputPixels: false, failOn: 'error' }).metadata();
    const { width, height } = header.autoOrient;
    const images = header.pages ?? 1;
    const frames = isAnimatedFormat(file.mimeType) ? images : 1;
    const { hasAlpha } = header;
    const isHevc = header.format === 'heif' && !holdsAv1(file);
    const facts = {
      width,
      height,
      animated: frames > 1,
      hasAlpha,
      ...(frames > 1 && { frames }),
      ...(file.mimeType === 'image/tiff' && { pages: images }),
    };
    return checkPixels({ width, height }, frames, file.maxPixels) ?? { width, height, frames, isHevc, hasAlpha, facts };
  } catch (error) {
    // Beyond its own bounds the decoder does not even name the size.
    const size = file.mimeType === 'image/png' ? readPngSize(file.path) : undefined;
    return (size && checkPixels(size, 1, file.maxPixels)) ?? describeDecoderError(error, file.path);
  }
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

function readPngSize(path: string): Size | undefined {
  const head = readHead(path);
  return head.length < 24 ? undefined : { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}
