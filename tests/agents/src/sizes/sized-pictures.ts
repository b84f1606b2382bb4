import { crc32 } from 'node:zlib';
import sharp from 'sharp';

export type PictureFormat = 'png' | 'jpeg' | 'webp' | 'gif';

/** Noise does not compress: bytes for each of its pixels, a little more than is seen. */
const bytesPerPixel: Record<PictureFormat, number> = { png: 3.01, jpeg: 3.05, webp: 3.01, gif: 1.4 };
const HEADER_BYTES = 700;
const LEAST_PIXELS = 16;
/** The limit for a GIF, whose colours take long to choose. */
const MOST_GIF_PIXELS = 1_000_000;
const GIF_SUB_BLOCK_BYTES = 255;
const JPEG_SEGMENT_BYTES = 65_535;

/** A picture of noise that holds exactly these bytes: pixels up to a few percent of them, then words that no reader shows. */
export async function makeSizedPicture(format: PictureFormat, sizeBytes: number): Promise<Buffer> {
  const wanted = Math.floor((sizeBytes - HEADER_BYTES) / bytesPerPixel[format]);
  const pixels = Math.max(LEAST_PIXELS, Math.min(wanted, format === 'gif' ? MOST_GIF_PIXELS : wanted));
  const side = Math.floor(Math.sqrt(pixels));
  return padPicture(format, await drawNoise(format, side, side), sizeBytes);
}

/** A picture of one colour, so that it holds few bytes for many pixels. */
export function makeWidePicture(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();
}

function drawNoise(format: PictureFormat, width: number, height: number): Promise<Buffer> {
  const image = sharp(makeNoise(width * height * 3), { raw: { width, height, channels: 3 } });
  switch (format) {
    case 'png':
      return image.png({ compressionLevel: 0 }).toBuffer();
    case 'jpeg':
      return image.jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer();
    case 'webp':
      return image.webp({ lossless: true, effort: 0 }).toBuffer();
    case 'gif':
      // A table of all colours alone would hold more than the smallest sample.
      return image.gif({ effort: 1, dither: 0, colours: width < 32 ? 16 : 256 }).toBuffer();
  }
}

/** The same bytes in every run (xorshift). */
function makeNoise(sizeBytes: number): Buffer {
  const words = new Uint32Array(Math.ceil(sizeBytes / 4));
  let state = 0x9e3779b9;
  for (let index = 0; index < words.length; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[index] = state;
  }
  return Buffer.from(words.buffer, 0, sizeBytes);
}

function padPicture(format: PictureFormat, picture: Buffer, sizeBytes: number): Buffer {
  const missing = sizeBytes - picture.length;
  if (missing < 12) throw new Error(`${format} of ${picture.length} bytes cannot be made ${sizeBytes} bytes long`);
  switch (format) {
    case 'png':
      return Buffer.concat([picture.subarray(0, -12), pngChunk(missing), picture.subarray(-12)]);
    case 'jpeg':
      return Buffer.concat([picture.subarray(0, 2), ...jpegComments(missing), picture.subarray(2)]);
    case 'gif':
      return Buffer.concat([picture.subarray(0, -1), gifComment(missing), picture.subarray(-1)]);
    case 'webp':
      return padWebp(picture, missing);
  }
}

function pngChunk(sizeBytes: number): Buffer {
  const chunk = Buffer.alloc(sizeBytes, 'a');
  chunk.writeUInt32BE(sizeBytes - 12);
  chunk.write('prVt', 4);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), sizeBytes - 4);
  return chunk;
}

function jpegComments(sizeBytes: number): Buffer[] {
  const comments: Buffer[] = [];
  for (let left = sizeBytes; left > 0; ) {
    // The rest must be long enough for the next comment's own head.
    const size = left > JPEG_SEGMENT_BYTES + 4 ? JPEG_SEGMENT_BYTES - 16 : Math.min(left, JPEG_SEGMENT_BYTES);
    const comment = Buffer.alloc(size, 'a');
    comment.writeUInt16BE(0xfffe);
    comment.writeUInt16BE(size - 2, 2);
    comments.push(comment);
    left -= size;
  }
  return comments;
}

function gifComment(sizeBytes: number): Buffer {
  const comment = Buffer.alloc(sizeBytes, 'a');
  comment.writeUInt16BE(0x21fe);
  let at = 2;
  while (at < sizeBytes - 1) {
    const left = sizeBytes - 2 - at;
    const size = left > GIF_SUB_BLOCK_BYTES ? Math.min(GIF_SUB_BLOCK_BYTES, left - 2) : left;
    comment[at] = size;
    at += 1 + size;
  }
  comment[sizeBytes - 1] = 0;
  return comment;
}

function padWebp(picture: Buffer, missing: number): Buffer {
  const chunk = Buffer.alloc(missing, 'a');
  chunk.write('prVt', 0);
  chunk.writeUInt32LE(missing - 8, 4);
  const padded = Buffer.concat([picture, chunk]);
  padded.writeUInt32LE(padded.length - 8, 4);
  return padded;
}
