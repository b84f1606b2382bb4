import { expect, it } from 'vitest';
import { choosePieces, type Piece, secondsTogether } from './choose-pieces.ts';

const piece = (project: string, what: string, lane: Piece['lane'], seconds: number): Piece => ({
  ...{ name: `${project} ${what}`, project, lane, seconds },
});
const pieces = [
  piece('faults', 'kill', 'waiting', 200),
  piece('agents', 'claude', 'waiting', 60),
  piece('agents', 'codex', 'waiting', 60),
  piece('e2e', 'a', 'busy', 50),
  piece('long', 'b', 'busy', 5),
];
const seeds = Array.from({ length: 100 }, (_, seed) => seed);
const namesOf = (chosen: readonly Piece[]) => chosen.map(({ name }) => name);

it('counts files of a project that run at once, and a long one alone', () => {
  expect(secondsTogether([])).toBe(0);
  expect(secondsTogether([30, 30, 30, 30])).toBe(60);
  expect(secondsTogether([100, 5, 5])).toBe(100);
});

it('takes all that fits, in two lanes at once', () => {
  expect(choosePieces(pieces, 260, 1)).toHaveLength(5);
  expect(choosePieces(pieces, 4, 1)).toEqual([]);
});

it('fills no lane beyond the budget, and leaves no room that a piece would fill', () => {
  for (const seed of seeds) {
    const chosen = namesOf(choosePieces(pieces, 60, seed));
    // Both agents take as long as one of them, and leave no room for a kill; the other lane has all of its own.
    expect(chosen.toSorted()).toEqual(['agents claude', 'agents codex', 'e2e a', 'long b']);
    expect(namesOf(choosePieces(pieces, 50, seed)).toSorted()).toHaveLength(1);
  }
});

it('gives every piece its turn', () => {
  const drawn = seeds.flatMap((seed) => namesOf(choosePieces(pieces, 200, seed)));
  for (const { name } of pieces) expect(drawn.filter((each) => each === name).length, name).toBeGreaterThan(10);
});

it('takes what is due, whatever the budget', () => {
  const due = { ...piece('long', 'proof', 'busy', 100), isDue: true };
  for (const seed of seeds.slice(0, 20)) expect(choosePieces([...pieces, due], 4, seed)).toEqual([due]);
});
