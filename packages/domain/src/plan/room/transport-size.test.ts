import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Bytes } from '../../text/text-size.ts';
import { base64Bytes, bytesWithinBase64, jsonTextBytes, maxDecodedBytes, maxJsonTextBytes } from './transport-size.ts';

const astral = fc.array(fc.integer({ min: 0, max: 0x10ffff })).map((codes) => String.fromCodePoint(...codes));
const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
const encode = (text: string) => new TextEncoder().encode(text);

describe('transport sizes', () => {
  it('counts UTF-8 and JSON as they are written [DL-62]', () => {
    fc.assert(
      fc.property(fc.oneof(astral, units), (text) => {
        expect(utf8Bytes(text)).toBe(encode(text).length);
        expect(jsonTextBytes(text)).toBe(encode(JSON.stringify(text)).length - 2);
      }),
      { numRuns: 300 },
    );
  });

  it('counts base64 and knows what fits in it [DL-62]', () => {
    fc.assert(
      fc.property(fc.nat({ max: 5000 }), (size) => {
        expect(base64Bytes(size)).toBe(btoa('x'.repeat(size)).length);
        expect(base64Bytes(bytesWithinBase64(size))).toBeLessThanOrEqual(size);
        expect(base64Bytes(bytesWithinBase64(size) + 1)).toBeGreaterThan(size);
      }),
      { numRuns: 100 },
    );
    expect(bytesWithinBase64(-5)).toBe(0);
  });

  it.each(['utf-8', 'utf-16le', 'utf-16be', 'windows-1251', 'shift_jis', 'gb18030', 'big5', 'euc-kr', 'iso-2022-jp'])(
    'bounds what any bytes decoded from %s hold [DL-72]',
    (encoding) => {
      const decoder = new TextDecoder(encoding, { ignoreBOM: true });
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
          const text = decoder.decode(bytes);
          // The bound of UTF-8 counts on inspection, which takes only well-formed bytes for UTF-8.
          fc.pre(encoding !== 'utf-8' || !text.includes('\ufffd'));
          expect(utf8Bytes(text)).toBeLessThanOrEqual(maxDecodedBytes(bytes.length, encoding));
          expect(jsonTextBytes(text)).toBeLessThanOrEqual(maxJsonTextBytes(bytes.length, encoding));
        }),
        { numRuns: 60 },
      );
    },
  );
});
