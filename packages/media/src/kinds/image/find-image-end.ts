import { openRandomAccess, type RandomAccess } from '../../file/read-file.ts';
import { readBox } from './structure/boxes.ts';
import { readPngChunks } from './structure/png-chunks.ts';

type Walk = (file: RandomAccess) => number | undefined;

const walks: Record<string, Walk> = {
  'image/png': findPngEnd,
  'image/jpeg': findJpegEnd,
  'image/gif': findGifEnd,
  'image/webp': findWebpEnd,
  'image/heic': findHeifEnd,
  'image/heif': findHeifEnd,
};

/**
 * Offset after an image's own end marker; any bytes after it are not the image (a polyglot's second half, or a phone's video). Undefined if the marker is
 * missing or the format has none.
 */
export function findImageEnd(path: string, mimeType: string): number | undefined {
  const walk = walks[mimeType];
  if (walk === undefined) return undefined;
  const file = openRandomAccess(path);
  try {
    return walk(file);
  } finally {
    file.close();
  }
}

function findPngEnd(file: RandomAccess): number | undefined {
  for (const { type, end } of readPngChunks(file)) if (type === 'IEND') return end;
  return undefined;
}

// Segments have a length; entropy-coded data runs to the next marker that is neither stuffing nor a restart.
function findJpegEnd(file: RandomAccess): number | undefined {
  let offset = 2;
  for (;;) {
    const start = file.findByte(0xff, offset);
    if (start < 0) return undefined;
    const marker = file.byteAt(start + 1);
    if (marker < 0) return undefined;
    if (marker === 0xd9) return start + 2;
    if (marker === 0xff) offset = start + 1;
    else if (isBareMarker(marker)) offset = start + 2;
    else if (file.byteAt(start + 3) < 0) return undefined;
    else offset = start + 2 + file.byteAt(start + 2) * 256 + file.byteAt(start + 3);
  }
}

function isBareMarker(marker: number): boolean {
  return marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

function findGifEnd(file: RandomAccess): number | undefined {
  let offset = 13 + sizeOfColours(file.byteAt(10));
  for (;;) {
    switch (file.byteAt(offset)) {
      case 0x3b:
        return offset + 1;
      case 0x21:
        offset = skipSubBlocks(file, offset + 2);
        break;
      case 0x2c:
        offset = skipSubBlocks(file, offset + 11 + sizeOfColours(file.byteAt(offset + 9)));
        break;
      default:
        return undefined;
    }
  }
}

// The flags' highest bit says whether a table of colours follows, the lowest three its size.
function sizeOfColours(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function skipSubBlocks(file: RandomAccess, from: number): number {
  let offset = from;
  for (let length = file.byteAt(offset); length > 0; length = file.byteAt(offset)) offset += length + 1;
  return offset + 1;
}

function findWebpEnd(file: RandomAccess): number | undefined {
  const [a, b, c, d] = [4, 5, 6, 7].map((offset) => file.byteAt(offset));
  if (a === undefined || b === undefined || c === undefined || d === undefined || d < 0) return undefined;
  const contentBytes = a + b * 2 ** 8 + c * 2 ** 16 + d * 2 ** 24;
  return 8 + contentBytes + (contentBytes % 2);
}

// Boxes up to what is no box of ours: then the image ends there.
function findHeifEnd(file: RandomAccess): number | undefined {
  let offset = 0;
  while (isHeifBox(file, offset)) {
    const box = readBox(file, offset);
    if (box === undefined || file.byteAt(box.end - 1) < 0) return undefined;
    offset = box.end;
  }
  return offset;
}

const heifBoxes = new Set(['ftyp', 'meta', 'mdat', 'moov', 'free', 'skip', 'uuid', 'mpvd']);

function isHeifBox(file: RandomAccess, offset: number): boolean {
  return heifBoxes.has(file.bytesAt(offset + 4, 4).toString('latin1'));
}
