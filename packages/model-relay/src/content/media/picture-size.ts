export type PictureSize = { readonly width: number; readonly height: number };

/** The result of reading the first bytes of a file. `more`: the size comes after them. */
export type ReadSize = PictureSize | 'more' | undefined;

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const LONGEST_HEAD_BYTES = 30;

/** Width and height in pixels of a PNG, JPEG, GIF or WebP, as its file says before it is turned. Undefined for all else. */
export function readPictureSize(head: Buffer): ReadSize {
  if (head.length < LONGEST_HEAD_BYTES) return 'more';
  if (head.subarray(0, 8).equals(PNG)) return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
  const signature = head.toString('latin1', 0, 4);
  if (signature === 'GIF8') return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
  if (signature === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP') return readWebp(head);
  return head[0] === 0xff && head[1] === 0xd8 ? readJpeg(head) : undefined;
}

function readWebp(head: Buffer): PictureSize | undefined {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Walks from segment to segment until the one that begins a frame. */
function readJpeg(head: Buffer): ReadSize {
  let at = 2;
  while (at + 9 <= head.length) {
    const marker = head[at + 1] ?? 0;
    if (head[at] !== 0xff) return undefined;
    if (isFrame(marker)) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
    // Bytes that fill up, and markers without a length.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (marker === 0xd9 || marker === 0xda) return undefined;
    else at += 2 + head.readUInt16BE(at + 2);
  }
  return 'more';
}

/** Start of frame: C0 to CF, but for the tables of Huffman, of arithmetic coding, and an extension. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
