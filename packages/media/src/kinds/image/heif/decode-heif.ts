import { isLibraryFailure } from '../../../library/keep-library.ts';
import type { Problem } from '../../../worker-protocol.ts';
import type { Raster } from '../raster.ts';
import { type HeifLibrary, heifLibrary } from './heif-library.ts';
import { type Coding, type DecodedHeif, withDecodedHeif } from './open-heif.ts';

// As libheif numbers them.
const asStored: Coding = { colorspace: 99, chroma: 99 };
const asRgb: Coding = { colorspace: 1, chroma: 10 };
const asRgba: Coding = { colorspace: 1, chroma: 11 };
const interleavedChannel = 10;

type HeifFile = { path: string; hasAlpha: boolean };

/** The problem of a HEIC image that cannot be decoded as a whole; undefined where all is well. */
export async function findHeifDamage(path: string): Promise<Problem | undefined> {
  // Not as RGB, which would only take memory.
  return decode(path, asStored, async () => undefined);
}

/**
 * Lets `use` work on the pixels of a HEIC image, turned and mirrored as its container says; the EXIF orientation repeats that and
 * does not count. The pixels are the decoder's own memory, and gone when `use` has ended.
 */
export async function withHeifPixels<T>(
  { path, hasAlpha }: HeifFile,
  use: (raster: Raster) => Promise<T>,
): Promise<T | Problem> {
  return decode(path, hasAlpha ? asRgba : asRgb, async (library, { image, width, height, stridePointer }) => {
    const channels = hasAlpha ? 4 : 3;
    const start = library._heif_image_get_plane_readonly2(image, interleavedChannel, stridePointer);
    const stride = library.HEAP32[stridePointer / 4] ?? 0;
    return use({ pixels: packRows(library, start, stride, width * channels, height), width, height, channels });
  });
}

async function decode<T>(
  path: string,
  coding: Coding,
  use: (library: HeifLibrary, decoded: DecodedHeif) => Promise<T>,
): Promise<T | Problem> {
  const library = await heifLibrary.load();
  try {
    return await withDecodedHeif(library, path, coding, (decoded) => use(library, decoded));
  } catch (error) {
    if (!isLibraryFailure(error)) throw error;
    heifLibrary.drop();
    return { code: 'attachment_corrupt_image', diagnostic: 'The decoder gave up on the image.' };
  }
}

// The decoder pads its rows; without the padding they are laid out as others expect them. Done in place: the image may be large.
function packRows(library: HeifLibrary, start: number, stride: number, rowBytes: number, rows: number): Buffer {
  const memory = library.HEAPU8;
  for (let row = 1; row < rows && stride !== rowBytes; row += 1) {
    const from = start + row * stride;
    memory.copyWithin(start + row * rowBytes, from, from + rowBytes);
  }
  return Buffer.from(memory.buffer, start, rowBytes * rows);
}
