import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCandidates } from './find-candidates.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

// The same rule as one expression, which looks at each character many times.
const SPELLING = /(?=(att_[\w-]{8}[QRST][\w-][CGKOSWaeimquy26-][\w-]{11}))/g;

const findAll = (text: string) => [...new Set([...text.matchAll(SPELLING)].map(([, found]) => found))];

function find(text: string): string[] {
  const found = new Set<string>();
  findCandidates(text, found, 100_000);
  return [...found];
}

/** Puts characters of a random uuid's version and variant where they belong. */
const shape = (rest: string, version = 'Q', variant = 'C') =>
  `${rest.slice(0, 8)}${version}${rest.slice(9, 10)}${variant}${rest.slice(11)}`;

const letter = fc.constantFrom(...'AQgw09_-z');
const prefix = fc.constantFrom('att_', 'att_', 'ATT_', 'aTt_');
const rest = fc.string({ unit: letter, minLength: 22, maxLength: 22 });
const id = fc
  .tuple(prefix, rest, fc.constantFrom(...'QRSTU'), fc.constantFrom(...'Ca2-B'))
  .map(([head, given, version, variant]) => `${head}${shape(given, version, variant)}`);
const zeros = fc.constantFrom(`att_${shape('A'.repeat(22))}`, `att_${'A'.repeat(22)}`);
const piece = fc.oneof(id, zeros, prefix, letter, fc.constantFrom(' ', '"', '%', 'é', '\u{1f600}', 'att_A', 'att_Q'));

describe('a text with many ids', () => {
  it('has each spelling found once, however often and however near to another it stands [AT-30]', () => {
    const text = fc.array(piece, { minLength: 1, maxLength: 12 }).chain((pieces) =>
      // Few pieces, again and again: the same spellings come back after others.
      fc.array(fc.constantFrom(...pieces), { minLength: 300, maxLength: 900 }).map((drawn) => drawn.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        expect(find(given).toSorted()).toEqual(findAll(given).toSorted());
      }),
      { numRuns: isShort ? 100 : 400, seed: 20_261_122 },
    );
  });

  // Ten thousand that differ in four characters alone, and more of them than are kept in mind.
  it.each([0, 4, 11, 14, 17])('has all found that differ from the %ith character on alone [AT-30]', (at) => {
    const names = Array.from({ length: 10_000 }, (_, index) => {
      const differing = String(index).padStart(4, '0');
      return `att_${shape(`${'x'.repeat(at)}${differing}${'x'.repeat(17 - at)}A`)}`;
    });
    const text = [...names, ...names.toReversed(), ...names].join(' ');
    expect(find(text).toSorted()).toEqual(names.toSorted());
  });

  it('has all found that differ in their last characters alone [AT-30]', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'];
    const names = letters.flatMap((one) => letters.map((last) => `att_${shape(`${'A'.repeat(20)}${one}${last}`)}`));
    expect(find([...names, ...names].join(' ')).toSorted()).toEqual(names.toSorted());
  });

  it('has one found that is mostly zeros, as an empty place is [AT-30]', () => {
    const others = Array.from({ length: 100 }, (_, index) => `att_${shape(String(index).padStart(22, 'x'))}`);
    const last = `att_${shape('A'.repeat(22))}`;
    expect(find([...others, last].join(' '))).toContain(last);
  });
});
