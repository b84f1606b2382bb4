import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { makeRandomBytes } from './random-bodies.ts';

/** The offset at which a comment may be in a JPEG: behind its first marker. */
const COMMENT_AT = 2;

/** A JPEG with about as much to decode as a photo has. */
export function drawPhoto(width: number, height: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const;
  return sharp({ create: { width, height, channels: 3, background: '#808080', noise } })
    .jpeg()
    .toBuffer();
}

/** The same picture as another file: its comment differs. */
export function stampPhoto(photo: Uint8Array): Uint8Array {
  const text = randomBytes(16);
  const comment = Buffer.from([0xff, 0xfe, 0x00, 2 + text.length]);
  return Buffer.concat([photo.subarray(0, COMMENT_AT), comment, text, photo.subarray(COMMENT_AT)]);
}

/** A PNG of pixels that do not compress; each one is another. */
export function drawNoise(sizeBytes: number): Promise<Buffer> {
  const edge = Math.floor(Math.sqrt(sizeBytes / 3));
  const raw = { width: edge, height: edge, channels: 3 } as const;
  return sharp(makeRandomBytes(edge * edge * 3), { raw })
    .png({ compressionLevel: 1 })
    .toBuffer();
}
