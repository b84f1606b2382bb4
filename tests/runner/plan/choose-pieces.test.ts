import { expect, it } from 'vitest';
import { choosePieces } from './choose-pieces.ts';

const pieces = [
  { name: 'faults all', seconds: 200 },
  { name: 'agents claude', seconds: 60 },
  { name: 'agents codex', seconds: 60 },
  { name: 'e2e a', seconds: 5 },
];
const sum = (chosen: readonly { seconds: number }[]) => chosen.reduce((total, { seconds }) => total + seconds, 0);

it('takes all that fits', () => {
  expect(choosePieces(pieces, 325, 1)).toHaveLength(4);
  expect(choosePieces(pieces, 4, 1)).toEqual([]);
});

it('never takes more than the budget, and leaves no room that a piece would fill', () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const chosen = choosePieces(pieces, 210, seed);
    const left = 210 - sum(chosen);
    expect(left).toBeGreaterThanOrEqual(0);
    for (const piece of pieces) if (!chosen.includes(piece)) expect(piece.seconds).toBeGreaterThan(left);
  }
});

it('gives every piece its turn', () => {
  const seeds = Array.from({ length: 100 }, (_, seed) => seed);
  for (const piece of pieces) {
    const turns = seeds.filter((seed) => choosePieces(pieces, 210, seed).includes(piece));
    expect(turns.length, piece.name).toBeGreaterThan(10);
  }
});
