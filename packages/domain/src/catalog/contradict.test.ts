import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describeContradiction, isContradicted } from './contradict.ts';

it.each([
  [3, 2, true],
  [3, 3, true],
  [2, 2, false],
  [3, 1, false],
  [100, 1, false],
  [0, 0, false],
])('%i turns of %i sessions contradict a row: %s [DL-58 DL-100]', (turns, sessions, isEnough) => {
  expect(isContradicted({ turns, sessions, droppedTurns: 0 })).toBe(isEnough);
});

it('a row that is contradicted stays so with every further turn', () => {
  const any = fc.record({ turns: fc.nat(9), sessions: fc.nat(9), droppedTurns: fc.nat(9) });
  fc.assert(
    fc.property(any, fc.nat(5), fc.nat(5), (counts, turns, sessions) => {
      const later = { ...counts, turns: counts.turns + turns, sessions: counts.sessions + sessions };
      expect(!isContradicted(counts) || isContradicted(later)).toBe(true);
    }),
  );
});

it.each([
  [3, '1.2.3', 'Version 1.2.3 left out an image in 3 turns of 2 sessions with the profile p'],
  [0, '1.2.3', 'Version 1.2.3 changed an image'],
  [1, '', 'The program, whose version is not known, left out or changed an image'],
])('says what was seen of which version: %i of 3 left out, %j', (droppedTurns, programVersion, words) => {
  expect(
    describeContradiction('image', { programVersion, profile: 'p' }, { turns: 3, sessions: 2, droppedTurns }),
  ).toContain(words);
});
