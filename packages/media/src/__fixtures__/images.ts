import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

type Size = { width: number; height: number };

/** A reproducible picture that does not compress to nothing. */
export function drawPattern({ width, height }: Size, channels: 3 | 4 = 3): Sharp {
  const pixels = Buffer.alloc(width * height * channels);
  let seed = 1;
  for (let index = 0; index < pixels.length; index += 1) {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    pixels[index] = ((index / channels) % 200) + (seed >> 26);
  }
  return sharp(pixels, { raw: { width, height, channels } });
}

export type Format = 'png' | 'jpeg' | 'webp' | 'gif' | 'avif' | 'tiff';

/** The pattern as a file, encoded the quick way. */
export function encodePattern(size: Size, format: Format): Promise<Buffer> {
  const effort = { png: {}, jpeg: {}, tiff: {}, webp: { effort: 0 }, gif: { effort: 1 }, avif: { effort: 0 } };
  return drawPattern(size).toFormat(format, effort[format]).toBuffer();
}

/** An animated GIF of equal-sized frames. */
export function drawAnimation({ width, height }: Size, frames: number): Promise<Buffer> {
  const frameBytes = width * height * 3;
  const pixels = Buffer.alloc(frameBytes * frames);
  for (let frame = 0; frame < frames; frame += 1) pixels.fill(frame * 16, frame * frameBytes, (frame + 1) * frameBytes);
  return sharp(pixels, { raw: { width, height: height * frames, channels: 3, pageHeight: height } })
    .gif({ effort: 1 })
    .toBuffer();
}

/** A GIF with one frame on a screen of another size. */
export function buildGif(screen: [number, number], frame: [number, number]): Buffer {
  const sizes = (...values: number[]) => Buffer.from(Uint16Array.from(values).buffer);
  const palette = Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]);
  const pixels = Buffer.from([0, 2, 2, 0x4c, 1, 0]);
  return Buffer.concat([
    Buffer.from('GIF89a'),
    sizes(...screen),
    palette,
    Buffer.from([0x2c]),
    sizes(0, 0, ...frame),
    pixels,
    Buffer.from(';'),
  ]);
}

/** The beginning of a PNG that claims this size; the pixels are missing. */
export function buildPngHeader({ width, height }: Size): Buffer {
  const body = Buffer.alloc(17);
  body.write('IHDR', 'latin1');
  body.writeUInt32BE(width, 4);
  body.writeUInt32BE(height, 8);
  body.set([8, 2, 0, 0, 0], 12); // 8 bits, RGB
  const data = Buffer.concat([Buffer.from('IDAT'), Buffer.from('789c636000000000ffff', 'hex')]);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    uint32(13),
    body,
    uint32(crc32(body)),
    uint32(data.length - 4),
    data,
    uint32(crc32(data)),
  ]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
