import { describe, expect, it } from 'vitest';
import { isReducible } from './is-reducible.ts';

const ascii = (text: string) => [...text].map((sign) => sign.charCodeAt(0));
const chunk = (type: string) => [0, 0, 0, 1, ...ascii(type), 0, 0, 0, 0, 0];
const png = (...types: string[]) => Uint8Array.from([...Array(8).fill(0), ...types.flatMap(chunk)]);
const webp = (format: string, flags: number) =>
  Uint8Array.from([...ascii('RIFF'), 0, 0, 0, 0, ...ascii(`WEBP${format}`), 0, 0, 0, 0, flags]);

describe('an image that may be made smaller', () => {
  it.each([
    ['a JPEG', 'image/jpeg', new Uint8Array(), true],
    ['a PNG', 'image/png', png('IHDR', 'IDAT', 'acTL'), true],
    ['an animated PNG', 'image/png', png('IHDR', 'acTL', 'IDAT'), false],
    ['a PNG that is cut off', 'image/png', png('IHDR').subarray(0, 14), true],
    ['a WebP', 'image/webp', webp('VP8 ', 0x02), true],
    ['a WebP with transparency', 'image/webp', webp('VP8X', 0x10), true],
    ['an animated WebP', 'image/webp', webp('VP8X', 0x12), false],
    ['a GIF', 'image/gif', new Uint8Array(), false],
    ['an SVG', 'image/svg+xml', new Uint8Array(), false],
  ])('%s [DL-81]', (_, mimeType, head, is) => {
    expect(isReducible(mimeType, head)).toBe(is);
  });
});
