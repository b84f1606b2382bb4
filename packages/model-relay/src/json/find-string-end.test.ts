import { describe, expect, it } from 'vitest';
import { createStringPlace, findEndOrEscaped, findStringEnd } from './find-string-end.ts';

const LENGTH = 400;

/** Bytes that a seed picks out of `letters`. */
function makeBytes(letters: string, seed: number): Buffer {
  let state = seed;
  const next = (): string => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return letters.charAt((state >>> 16) % letters.length);
  };
  return Buffer.from(Array.from({ length: LENGTH }, next).join(''), 'latin1');
}

/** All stops from the start of the bytes on, cut in two. Behind each of them the next search begins. */
function findAll(find: typeof findStringEnd, bytes: Buffer, cut: number): number[] {
  const place = createStringPlace();
  const stops: number[] = [];
  for (const [start, chunk] of [[0, bytes.subarray(0, cut)] as const, [cut, bytes.subarray(cut)] as const]) {
    for (let at = find(place, chunk, 0); at !== -1; at = find(place, chunk, at + 1)) stops.push(start + at);
  }
  return stops;
}

/** The same, a byte at a time. */
function findPlainly(bytes: Buffer, isEscapedWanted: boolean): number[] {
  const stops: number[] = [];
  let isEscaped = false;
  for (const [at, byte] of bytes.entries()) {
    const letter = String.fromCharCode(byte);
    if (isEscaped ? isEscapedWanted && !'"\\'.includes(letter) : letter === '"') stops.push(at);
    isEscaped = !isEscaped && letter === '\\';
  }
  return stops;
}

describe('the end of a string', () => {
  it.each([
    ['dense in escapes', '\\"'],
    ['with escaped letters', 'ab\\\\\\n"'],
    ['beside bytes that are nearly the same', '\\"#]![\x00\x01\x22\xa2\xdc\xff'],
    ['rare', `${'a'.repeat(90)}\\\\"`],
    ['rare among escapes', `${'a'.repeat(90)}\\\\\\\\"`],
    ['nowhere', 'abc'],
  ])('is found wherever a chunk ends: %s', (_, letters) => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const bytes = makeBytes(letters, seed);
      const [ends, stops] = [findPlainly(bytes, false), findPlainly(bytes, true)];
      for (let cut = 0; cut <= LENGTH; cut += 7) {
        expect(findAll(findStringEnd, bytes, cut)).toEqual(ends);
        expect(findAll(findEndOrEscaped, bytes, cut)).toEqual(stops);
      }
    }
  });
});
