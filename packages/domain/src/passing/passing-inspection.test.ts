import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileClaims } from '../file-type/label-file.ts';
import { createPassingInspection } from './passing-inspection.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

function inspect(pieces: Iterable<Uint8Array>, claims: FileClaims = {}) {
  const inspection = createPassingInspection(claims);
  for (const piece of pieces) inspection.push(piece);
  return inspection.end();
}

const utf8 = { encoding: 'utf-8', hasByteOrderMark: false };

describe('a text that passes', () => {
  it.each<[string, FileClaims, string]>([
    ['# a,b\n', {}, 'text/plain'],
    ['# a,b\n', { name: 'a.md' }, 'text/markdown'],
    ['# a,b\n', { name: 'a.md', declaredMimeType: 'text/csv' }, 'text/csv'],
    ['{"a":1}', { declaredMimeType: 'application/json' }, 'application/json'],
    ['10:04 read a.pdf: %PDF-1.4\n10:05 1 0 obj\n', { name: 'a.log' }, 'text/plain'],
    ['<html><script>1</script>', { declaredMimeType: 'text/plain' }, 'text/html'],
  ])('is %j: with %j it is %s [RP-05]', (text, claims, mimeType) => {
    expect(inspect([encode(text)], claims)).toMatchObject({ mimeType, kind: 'text', facts: utf8 });
  });

  it('is warned of where it was declared as something else [S10]', () => {
    const found = inspect([encode('words')], { declaredMimeType: 'image/png', name: 'a.png' });
    expect(found).toMatchObject({ mimeType: 'text/plain', warnings: [{ code: 'type_differs_from_declared' }] });
  });

  it('says the same in any pieces, of any size up to 100 kB', () => {
    const content = encode('Grüße, 世界 🙂 '.repeat(6000)).subarray(0, 100_000);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.array(fc.integer({ min: 1, max: 70_000 })),
        (size, steps) => {
          const bytes = content.subarray(0, size);
          const pieces: Uint8Array[] = [];
          for (let at = 0; at < size; at += pieces.at(-1)?.length ?? 0) {
            pieces.push(bytes.subarray(at, at + (steps[pieces.length % Math.max(1, steps.length)] ?? size)));
          }
          expect(inspect(pieces)).toEqual(inspect([bytes]));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('bytes that pass', () => {
  const noise = Uint8Array.from({ length: 100_000 }, (_, index) => ((index * 7919) ^ (index >> 3)) & 0xff);
  const unknown = Uint8Array.from([0x10, 0, 0xfe, ...noise]);

  it('are of no known type, at any size [SR-29 RP-05]', () => {
    const found = { mimeType: 'application/octet-stream', kind: 'unsupported', facts: {}, warnings: [] };
    expect(inspect([unknown])).toEqual(found);
    expect(inspect(Array.from({ length: 400 }, () => unknown))).toEqual(found);
  });

  it.each([
    ['PNG', '\x89PNG\r\n\x1a\n'],
    ['JPEG', '\xff\xd8\xff\xe0'],
    ['PDF', '%PDF-1.7\n'],
    ['PDF behind blanks', '\n\n  %PDF-1.4\n'],
    ['PDF behind a mail', 'From: a\r\n\r\n%PDF-1.4\r\n1 0 obj\r\n<<'],
    ['PDF behind bytes', '\x10\0\xfe%PDF-1.4\n%\xe2\xe3\n1 0 obj\n<<'],
    ['MP4', '\0\0\0\x18ftypisom'],
    ['MP3', 'ID3\x04\0\0'],
    ['a frame of sound', '\xff\xfb\x90\x40'],
    ['an archive', 'PK\x03\x04'],
    ['a mark of UTF-8 before a picture', '\xef\xbb\xbfGIF89a'],
  ])('are left to inspection where they begin as %s [SR-14 RP-10]', (_, beginning) => {
    expect(inspect([latin1(beginning), unknown])).toBeUndefined();
  });

  it('are left to inspection where they may be text in an older encoding [RP-08]', () => {
    expect(inspect([latin1('Der B\xe4r l\xe4uft.')])).toBeUndefined();
    expect(inspect([encode('words '.repeat(20_000)), latin1('\xe4')])).toBeUndefined();
  });

  it('are text up to their last byte, which is left to inspection [BX-29]', () => {
    const text = encode('words '.repeat(20_000));
    const marked = [Uint8Array.from([0xef, 0xbb, 0xbf]), text, Uint8Array.from([0xff])];
    expect(inspect(marked)).toBeUndefined();
    expect(inspect(marked.slice(0, 2))).toMatchObject({ facts: { encoding: 'utf-8', hasByteOrderMark: true } });
  });

  it.each([
    ['a zero in a log', `${'10:04 INFO ok\n'.repeat(900)}\0${'10:05 INFO ok\n'.repeat(900)}`],
    ['a zero behind the first 64 KiB', `${'10:04 INFO ok\n'.repeat(9000)}\0`],
    ['an encoding of 7 bits', '\x1b$B%Q%9%o!<%I\x1b(B'],
    ['a picture in Markdown', '![shot](data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==)'],
    ['an encoding of 7 bits late in a text', `${'10:04 INFO ok\n'.repeat(9000)}~{GkTYA=~}`],
  ])('are left to inspection with %s [BX-29]', (_, text) => {
    expect(inspect([latin1(text)])).toBeUndefined();
  });

  it('are an empty text where they are a byte order mark', () => {
    expect(inspect([latin1('\xef\xbb\xbf')])).toMatchObject({
      mimeType: 'text/plain',
      facts: { hasByteOrderMark: true },
    });
  });

  it('are nothing where there are none', () => {
    expect(inspect([])).toBeUndefined();
  });
});
