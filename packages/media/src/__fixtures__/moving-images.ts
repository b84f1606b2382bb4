import { crc32 } from 'node:zlib';

/** A GIF that says how often it is to be repeated, with the frames that it had. */
export function repeatGif(gif: Buffer): Buffer {
  const flags = gif[10] ?? 0;
  const coloursEnd = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  const extension = Buffer.from('\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0', 'latin1');
  return Buffer.concat([gif.subarray(0, coloursEnd), extension, gif.subarray(coloursEnd)]);
}

/** A WebP of the moving kind that shows a still WebP, of this size, so many times. */
export function repeatWebp(webp: Buffer, { width, height }: { width: number; height: number }, frames: number): Buffer {
  const size = [...uint24(width - 1), ...uint24(height - 1)];
  const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, ...size, ...uint24(100), 0]), webp.subarray(12)]);
  const content = Buffer.concat([
    Buffer.from('WEBP'),
    buildRiff('VP8X', Buffer.from([2, 0, 0, 0, ...size])),
    buildRiff('ANIM', Buffer.alloc(6)),
    ...Array.from({ length: frames }, () => buildRiff('ANMF', frame)),
  ]);
  return buildRiff('RIFF', content);
}

export type Motion = {
  /** The number of frames in its header. */
  announced: number;
  /** The number of frames that have pixels. */
  frames: number;
  /** Whether the picture that other readers show is the first of them. */
  isFirst: boolean;
};

/** A PNG of the moving kind whose frames all show a still PNG. */
export function movePng(png: Buffer, { announced, frames, isFirst }: Motion): Buffer {
  const chunks = [...readChunks(png)];
  const pixels = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  const size = chunks[0]?.data.subarray(0, 8) ?? Buffer.alloc(8);
  let sequence = 0;
  const control = () => buildChunk('fcTL', uint32(sequence++), size, Buffer.alloc(8), Buffer.from([0, 1, 0, 10, 0, 0]));
  const first = isFirst && frames > 0 ? [control()] : [];
  const still = pixels.map((data) => buildChunk('IDAT', data));
  const others = Array.from({ length: frames - first.length }, () => [
    control(),
    ...pixels.map((data) => buildChunk('fdAT', uint32(sequence++), data)),
  ]);
  return Buffer.concat([
    png.subarray(0, 33),
    buildChunk('acTL', uint32(announced), uint32(0)),
    ...[...first, ...still, ...others.flat()],
    buildChunk('IEND'),
  ]);
}

/** A sequence of pictures in boxes, with another number of samples in its track. */
export function setSamples(sequence: Buffer, samples: number): Buffer {
  const bytes = Buffer.from(sequence);
  bytes.writeUInt32BE(samples, bytes.indexOf('stsz') + 12);
  bytes.writeUInt32BE(samples, bytes.indexOf('stts') + 12);
  bytes.writeUInt32BE(samples, bytes.indexOf('stsc') + 16);
  return bytes;
}

/** A box of the containers of AVIF and HEIC. */
export function buildBox(type: string, content: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from(type), ...content]);
  return Buffer.concat([uint32(body.length + 4), body]);
}

function* readChunks(png: Buffer): Generator<{ type: string; data: Buffer }> {
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + png.readUInt32BE(at)) };
  }
}

function buildChunk(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from(type), ...parts]);
  return Buffer.concat([uint32(body.length - 4), body, uint32(crc32(body))]);
}

function buildRiff(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

const uint24 = (value: number) => [value & 0xff, (value >> 8) & 0xff, value >> 16];

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
