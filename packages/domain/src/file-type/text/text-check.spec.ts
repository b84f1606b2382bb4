import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTextCheck } from './text-check.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';
const windowBytes = 64 * 1024;
const words = 'Grüße, 世界 🙂\n';

const swap = (bytes: Uint8Array, unit: number) =>
  bytes.map((_, at) => bytes[at - (at % unit) + unit - 1 - (at % unit)] ?? 0);
const wide16 = (text: string) =>
  new Uint8Array(Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)).buffer);
const wide32 = (text: string) =>
  new Uint8Array(Uint32Array.from([...text].map((char) => char.codePointAt(0) ?? 0)).buffer);

const encodings: [label: string, encode: (text: string) => Uint8Array][] = [
  ['utf-8', (text) => new TextEncoder().encode(text)],
  ['utf-16le', wide16],
  ['utf-16be', (text) => swap(wide16(text), 2)],
  ['utf-32le', wide32],
  ['utf-32be', (text) => swap(wide32(text), 4)],
];

function check(encoding: string, ...pieces: Uint8Array[]): boolean {
  const taken = createTextCheck(encoding);
  return pieces.every((piece) => taken.push(piece)) && taken.end();
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const ends = [...at, bytes.length].toSorted((one, other) => one - other);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

describe.each(encodings)('text in %s', (label, encode) => {
  it.each(['', '\ufeff'])('is text wherever it is cut, after %j [RP-08]', (mark) => {
    const bytes = encode(mark + words);
    for (let first = 0; first <= bytes.length; first += 1)
      for (let second = first; second <= bytes.length; second += 1)
        expect(check(label, ...cut(bytes, [first, second])), `cut at ${first} and ${second}`).toBe(true);
  });

  it('is none wherever it is cut, where its last character is not whole', () => {
    const bytes = encode(`${words}🙂`).subarray(0, -1);
    for (let at = 0; at <= bytes.length; at += 1) expect(check(label, ...cut(bytes, [at]))).toBe(false);
  });

  it('is judged alike in any pieces, also around the end of a window', () => {
    const cuts = fc.array(fc.integer({ min: 0, max: windowBytes + 200 }), { maxLength: 8 });
    const content = fc.record({
      before: fc.integer({ min: windowBytes - 90, max: windowBytes + 9 }),
      control: fc.boolean(),
    });
    fc.assert(
      fc.property(content, cuts, ({ before, control }, at) => {
        const unit = encode('a').length;
        const text = 'a'.repeat(Math.floor(before / unit)) + (control ? '\u0001'.repeat(60) : '') + words;
        const bytes = encode(text);
        expect(
          check(
            label,
            ...cut(
              bytes,
              at.filter((one) => one <= bytes.length),
            ),
          ),
        ).toBe(check(label, bytes));
      }),
      { numRuns: isShort ? 15 : 60 },
    );
  });
});

describe('control characters', () => {
  const encode = (text: string) => new TextEncoder().encode(text);

  it.each([
    ['a sixth of a text is the most', '\u0001'.repeat(100) + 'a'.repeat(500), true],
    ['more make it none', '\u0001'.repeat(101) + 'a'.repeat(500), false],
    ['a zero makes it none', `a\0${'a'.repeat(500)}`, false],
  ])('%s', (_, text, isText) => {
    expect(check('utf-8', encode(text))).toBe(isText);
  });

  it('are counted at the end of each window: what follows does not make up for them', () => {
    const controls = '\u0001'.repeat(windowBytes / 4);
    const late = 'a'.repeat(2 * windowBytes) + controls;
    const early = controls + 'a'.repeat(2 * windowBytes);
    expect([check('utf-8', encode(late)), check('utf-8', encode(early))]).toEqual([true, false]);
  });
});

it('text of another encoding is seen to be none after 64 KiB, and read no further', () => {
  const taken = createTextCheck('utf-8', { isLenient: true });
  expect(taken.push(new Uint8Array(windowBytes).fill(0xe4))).toBe(false);
  const { replaced } = taken.faults();
  taken.push(new Uint8Array(windowBytes).fill(0xe4));
  expect(taken.faults().replaced).toBe(replaced);
  expect(taken.end()).toBe(false);
});
