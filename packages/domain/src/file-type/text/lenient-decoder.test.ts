import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLenientDecoder } from './lenient-decoder.ts';

const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const utf8 = (text: string) => new TextEncoder().encode(text);
const join = (...pieces: Uint8Array[]) => Uint8Array.from(pieces.flatMap((piece) => [...piece]));

function decode(
  encoding: string,
  bytes: Uint8Array,
  { linesAs, sizes = [] }: { linesAs?: string; sizes?: number[] } = {},
) {
  const decoder = createLenientDecoder(encoding, { linesAs });
  let text = '';
  let at = 0;
  for (const size of sizes) {
    // Overwritten afterwards, as a reader's window is.
    const window = Buffer.from(bytes.subarray(at, at + size));
    text += decoder.decode(window, { stream: true });
    window.fill(0xff);
    at += size;
  }
  text += decoder.decode(bytes.subarray(at));
  return { text, ...decoder.faults() };
}

describe('a lenient decoder', () => {
  it.each<[string, Uint8Array, object]>([
    ['nothing', utf8('Grüße 🙂\n'), { text: 'Grüße 🙂\n', replaced: 0, otherLines: 0 }],
    ['a replacement character of its own', utf8('a\ufffdb'), { text: 'a\ufffdb', replaced: 0 }],
    ['a replacement character beside a broken byte', join(utf8('ééééé\ufffd'), latin1('\xff')), { replaced: 1 }],
    ['half a character at the end', utf8('éééééé').subarray(0, 11), { text: 'ééééé\ufffd', replaced: 1 }],
    ['a run of zeros', latin1('a\0\0\0b\0'), { text: 'a\ufffdb\ufffd', replaced: 2 }],
    ['a byte order mark', utf8('\ufeffa\ufeff'), { text: 'a\ufeff', replaced: 0 }],
    [
      'a line in another encoding',
      join(utf8('é\n'), latin1('Caf\xe9\n'), utf8('é')),
      { text: 'é\nCafé\né', otherLines: 1 },
    ],
    ['a broken byte in a line of UTF-8', join(utf8('héhéhéhéhé'), latin1('\xe9\n')), { replaced: 1, otherLines: 0 }],
    ['bytes that are in neither', latin1('a\x81\x8d\n'), { text: 'a\x81\x8d\n', otherLines: 1 }],
  ])('replaces and counts %s [BX-29]', (_, bytes, expected) => {
    expect(decode('utf-8', bytes, { linesAs: 'windows-1252' })).toMatchObject(expected);
  });

  it.each<[string, number[], string]>([
    ['utf-16le', [0x41, 0, 0, 0xd8, 0x42, 0], 'A\ufffdB'],
    ['utf-16be', [0, 0x41, 0], 'A\ufffd'],
    ['utf-32le', [0x41, 0, 0, 0, 0, 0xd8, 0, 0, 0x42], 'A\ufffd\ufffd'],
    ['shift_jis', [0x83, 0x65, 0x83], 'テ\ufffd'],
    ['cp857', [0x41, 0xd5, 0x42], 'A\ufffdB'],
  ])('replaces what is no text in %s', (encoding, bytes, text) => {
    expect(decode(encoding, Uint8Array.from(bytes))).toMatchObject({ text, replaced: text.split('\ufffd').length - 1 });
  });

  it('says the same in any pieces, also of a line beyond 64 KiB', () => {
    const lines = join(utf8('é🙂'.repeat(12_000)), latin1('\xff\0\0x\n'), latin1('Caf\xe9\n'), utf8('ж\n'.repeat(400)));
    const whole = decode('utf-8', lines, { linesAs: 'windows-1252' });
    expect(whole).toMatchObject({ replaced: 2, otherLines: 1 });
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 70_000 }), { maxLength: 6 }), (sizes) => {
        expect(decode('utf-8', lines, { linesAs: 'windows-1252', sizes })).toEqual(whole);
      }),
      { numRuns: 20 },
    );
  });
});
