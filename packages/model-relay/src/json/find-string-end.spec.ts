import { describe, expect, it } from 'vitest';
import { createStringPlace, findEndOrEscape, findStringEnd } from './find-string-end.ts';

const LENGTH = 400;
const SEEDS = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 3 : 10;

/** Bytes that a seed picks out of `letters`. */
function makeBytes(letters: string, seed: number): Buffer {
  let state = seed;
  const next = (): string => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return letters.charAt((state >>> 16) % letters.length);
  };
  return Buffer.from(Array.from({ length: LENGTH }, next).join(''), 'latin1');
}

type Find = typeof findStringEnd;

/** Finds all stops from the start of the bytes on, cut in two. The next search begins after each stop. */
function findAll(find: Find, bytes: Buffer, cut: number): number[] {
  const place = createStringPlace();
  const stops: number[] = [];
  for (const [start, chunk] of [[0, bytes.subarray(0, cut)] as const, [cut, bytes.subarray(cut)] as const]) {
    for (let at = find(place, chunk, 0); at !== -1; at = find(place, chunk, at + 1)) stops.push(start + at);
  }
  return stops;
}

type Plainly = { cut: number; areEscapesWanted: boolean; areLinesWanted: boolean };

/** The same, a byte at a time. */
function findPlainly(bytes: Buffer, { cut, areEscapesWanted, areLinesWanted }: Plainly): number[] {
  const stops: number[] = [];
  let isEscaped = false;
  for (const [at, byte] of bytes.entries()) {
    const letter = String.fromCharCode(byte);
    const isBeforeLine =
      at + 1 === cut || at + 1 === bytes.length || 'F[<'.includes(String.fromCharCode(bytes[at + 1] ?? 0));
    const isWanted =
      areEscapesWanted && (!'"\\bfnrt'.includes(letter) || (areLinesWanted && letter === 'n' && isBeforeLine));
    if (isEscaped ? isWanted : letter === '"') stops.push(at);
    isEscaped = !isEscaped && letter === '\\';
  }
  return stops;
}

const findEscapes: Find = (place, chunk, from) => findEndOrEscape(place, chunk, from, false);
const findLines: Find = (place, chunk, from) => findEndOrEscape(place, chunk, from, true);

describe('the end of a string', () => {
  it.each([
    ['dense in escapes', '\\"'],
    ['with escaped letters', 'ab\\\\\\n"'],
    ['with escapes of all kinds', 'bfnrtu/x\\\\\\\\\\"'],
    ['with lines', 'nnnF[<a\\\\\\"'],
    ['with lines in plain text', `${'a'.repeat(20)}nn\\\\\\F[<`],
    ['beside bytes that are nearly the same', '\\"#]![\x00\x01\x22\xa2\xdc\xff'],
    ['rare', `${'a'.repeat(90)}\\\\"`],
    ['rare among escapes', `${'a'.repeat(90)}\\\\\\\\"`],
    ['nowhere', 'abc'],
  ])('is found wherever a chunk ends: %s', (_, letters) => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const bytes = makeBytes(letters, seed);
      for (let cut = 0; cut <= LENGTH; cut += 7) {
        const plainly = (areEscapesWanted: boolean, areLinesWanted: boolean) =>
          findPlainly(bytes, { cut, areEscapesWanted, areLinesWanted });
        expect(findAll(findStringEnd, bytes, cut)).toEqual(plainly(false, false));
        expect(findAll(findEscapes, bytes, cut)).toEqual(plainly(true, false));
        expect(findAll(findLines, bytes, cut)).toEqual(plainly(true, true));
      }
    }
  });

  it('is found in a chunk larger than what is searched at once', () => {
    const [size, place] = [200_000, createStringPlace()];
    for (const at of [65_535, 65_536, 131_071, 131_073, size - 1]) {
      const bytes = Buffer.alloc(size, '\\"');
      bytes[at] = 0x22;
      bytes[at - 1] = 0x61;
      expect(findStringEnd(place, bytes, 0)).toBe(at);
    }
  });

  it('is found by two that read by turns', () => {
    const [first, second] = ['ab\\"c"', 'abcd\\"e"'].map((text) => Buffer.from(text)) as [Buffer, Buffer];
    const [one, other] = [createStringPlace(), createStringPlace()];
    expect([findStringEnd(one, first, 0), findStringEnd(other, second, 0)]).toEqual([5, 7]);
    expect([findStringEnd(one, first, 2), findStringEnd(other, second, 4)]).toEqual([5, 7]);
  });
});
