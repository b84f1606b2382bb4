import { createHash } from 'node:crypto';

/** The head of a PNG of this size, and bytes behind it that are no picture. */
export function makePng(width: number, height: number, sizeBytes = 100): Buffer {
  const bytes = Buffer.alloc(sizeBytes, 0xa7);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

export const sha256Of = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

export const dataUrlOf = (bytes: Buffer, mimeType = 'image/png'): string =>
  `data:${mimeType};base64,${bytes.toString('base64')}`;
