import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCandidates } from './find-candidates.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

// The same rule as one expression, which looks at each character many times.
const SPELLING = /(?=(att_[A-Za-z0-9_-]{22}))/gi;

const findAll = (text: string) => [...new Set([...text.matchAll(SPELLING)].map(([, found]) => found))];

function find(text: string): string[] {
  const found = new Set<string>();
  findCandidates(text, found, 100_000);
  return [...found];
}

const letter = fc.constantFrom(...'AQgw09_-z');
const prefix = fc.constantFrom('att_', 'ATT_', 'aTt_', 'Att_', 'atT_');
const id = fc
  .tuple(prefix, fc.string({ unit: letter, minLength: 21, maxLength: 21 }))
  .map(([head, rest]) => `${head}${rest}A`);
const zeros = fc.constantFrom(`att_${'A'.repeat(22)}`, `ATT_${'A'.repeat(22)}`, `att_${'A'.repeat(21)}Q`);
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
  it.each([0, 4, 8, 12, 16])('has all found that differ from the %ith character on alone [AT-30]', (at) => {
    const names = Array.from({ length: 10_000 }, (_, index) => {
      const differing = String(index).padStart(4, '0');
      return `att_${'x'.repeat(at)}${differing}${'x'.repeat(17 - at)}A`;
    });
    const text = [...names, ...names.toReversed(), ...names].join(' ');
    expect(find(text).toSorted()).toEqual(names.toSorted());
  });

  it('has all found that differ in their last characters or in the case of their prefix alone [AT-30]', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'];
    const prefixes = ['att_', 'atT_', 'aTt_', 'aTT_', 'Att_', 'AtT_', 'ATt_', 'ATT_'];
    const names = prefixes.flatMap((head) =>
      letters.flatMap((one) => letters.map((last) => `${head}${'A'.repeat(20)}${one}${last}`)),
    );
    expect(find([...names, ...names].join(' ')).toSorted()).toEqual(names.toSorted());
  });

  it('has one found that begins with the zeros of an empty place [AT-30]', () => {
    const others = Array.from({ length: 100 }, (_, index) => `att_${String(index).padStart(21, 'x')}A`);
    const last = `ATT_${'A'.repeat(22)}`;
    expect(find([...others, last].join(' '))).toContain(last);
  });
});
