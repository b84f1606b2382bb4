import { type PlacedFile, placeFile } from '../../../library/wasm-file.ts';
import type { Problem } from '../../../worker-protocol.ts';
import type { HeifLibrary } from './heif-library.ts';

/** Which pixels are wanted, as libheif numbers them. */
export type Coding = { colorspace: number; chroma: number };

/** A decoded image in the decoder's memory. `stridePointer` is room for one number. */
export type DecodedHeif = { image: number; width: number; height: number; stridePointer: number };

type Use<T> = (decoded: DecodedHeif) => Promise<T>;
type Work<T> = { library: HeifLibrary; file: PlacedFile; scratch: number; coding: Coding; use: Use<T> };

/** Decodes the primary image of a HEIF file, lets `use` work on it, and frees it. A problem where it is damaged. */
export async function withDecodedHeif<T>(
  library: HeifLibrary,
  path: string,
  coding: Coding,
  use: Use<T>,
): Promise<T | Problem> {
  const scratch = library._malloc(scratchBytes);
  const file = placeFile(path, { allocate: library._malloc, bytes: () => library.HEAPU8 });
  try {
    if (file === undefined) return describeDamage('it is too large');
    return await parse({ library, file, scratch, coding, use });
  } finally {
    if (file) library._free(file.pointer);
    library._free(scratch);
  }
}

// An error of three words, then one word for the result of a call.
const scratchBytes = 16;
const resultOffset = 12;

async function parse<T>(work: Work<T>): Promise<T | Problem> {
  const { library, file, scratch } = work;
  const context = library._heif_context_alloc();
  try {
    library._heif_context_read_from_memory_without_copy(scratch, context, file.pointer, file.sizeBytes, 0);
    if (failed(work)) return describeError(work);
    library._heif_context_get_primary_image_handle(scratch, context, scratch + resultOffset);
    if (failed(work)) return describeError(work);
    return await decode(work, readWord(work, resultOffset));
  } finally {
    library._heif_context_free(context);
  }
}

async function decode<T>(work: Work<T>, handle: number): Promise<T | Problem> {
  const { library, scratch, coding, use } = work;
  try {
    const width = library._heif_image_handle_get_width(handle);
    const height = library._heif_image_handle_get_height(handle);
    if (width * height > mostPixels) return describeSize(width, height);
    library._heif_decode_image(scratch, handle, scratch + resultOffset, coding.colorspace, coding.chroma, 0);
    if (failed(work)) return describeError(work);
    const image = readWord(work, resultOffset);
    try {
      // The header's size is a claim; rows beyond the real one would be someone else's memory.
      const isAsClaimed =
        library._heif_image_get_primary_width(image) === width &&
        library._heif_image_get_primary_height(image) === height;
      if (!isAsClaimed) return describeDamage('its size is not that of its header');
      return await use({ image, width, height, stridePointer: scratch });
    } finally {
      library._heif_image_release(image);
    }
  } finally {
    library._heif_image_handle_release(handle);
  }
}

// More decoded pixels do not fit into a worker in addition to the image made from them.
const mostPixels = 50_000_000;

function describeSize(width: number, height: number): Problem {
  const diagnostic = 'More pixels than the decoder of HEIC has memory for; nothing was decoded.';
  return { code: 'attachment_pixels_exceeded', diagnostic, safeDetails: { width, height, maxPixels: mostPixels } };
}

function readWord<T>({ library, scratch }: Work<T>, offset: number): number {
  return library.HEAP32[(scratch + offset) / 4] ?? 0;
}

function failed<T>(work: Work<T>): boolean {
  return readWord(work, 0) !== 0;
}

// Error codes of libheif for a kind of file, a feature or a codec that it does not have.
const unsupported = [3, 4, 11];

function describeError<T>(work: Work<T>): Problem {
  const error = readWord(work, 0);
  const reason = `error ${error}.${readWord(work, 4)}`;
  if (!unsupported.includes(error)) return describeDamage(reason);
  return {
    code: 'attachment_type_unsupported',
    diagnostic: `The decoder of HEIC does not know this coding: ${reason}`,
  };
}

function describeDamage(reason: string): Problem {
  return { code: 'attachment_corrupt_image', diagnostic: `The decoder of HEIC says: ${reason}` };
}
