import { expect, it } from 'vitest';
import type { Unit } from '../report/result.ts';
import { formatPairs, type Measured, pairRows } from './pair-rows.ts';

const turn = (...rows: [what: string, unit: Unit, p50: number][]): Measured => ({
  embedded: rows.map(([what, unit, p50]) => ({ what, unit, product: { p50 } })),
});

it('holds the better turn of a row against that of the same row of the other tree', () => {
  const rows = pairRows({
    here: [
      turn(['an upload', 'ms', 12], ['a search', 'MB/s', 90]),
      turn(['an upload', 'ms', 30], ['a search', 'MB/s', 10]),
    ],
    there: [
      turn(['an upload', 'ms', 40], ['a search', 'MB/s', 50]),
      turn(['an upload', 'ms', 12], ['a search', 'MB/s', 60]),
    ],
  });
  expect(rows).toEqual([
    { name: 'embedded: an upload', unit: 'ms', here: 12, there: 12, ratio: 1, isWorse: false },
    { name: 'embedded: a search', unit: 'MB/s', here: 90, there: 60, ratio: 1.5, isWorse: false },
  ]);
});

it.each<[unit: Unit, here: number, isWorse: boolean]>([
  ['ms', 106, true],
  ['ms', 104, false],
  ['ms', 50, false],
  ['MB', 106, true],
  ['per s', 94, true],
  ['per s', 97, false],
  ['MB/s', 106, false],
])('of 100 %s at the commit, %d here is worse: %s', (unit, here, isWorse) => {
  const [row] = pairRows({ here: [turn(['it', unit, here])], there: [turn(['it', unit, 100])] });
  expect(row?.isWorse).toBe(isWorse);
});

it('tells rows of one name apart by their order, and names those that only one tree has', () => {
  const rows = pairRows({
    here: [turn(['the same', 'ms', 1], ['the same', 'ms', 5], ['new', 'ms', 3])],
    there: [turn(['the same', 'ms', 1], ['the same', 'ms', 10], ['gone', 'ms', 3])],
  });
  expect(rows.map(({ name, ratio }) => [name, ratio])).toEqual([
    ['embedded: the same', 1],
    ['embedded: the same (2)', 0.5],
    ['embedded: gone', undefined],
    ['embedded: new', undefined],
  ]);
  expect(rows.some(({ isWorse }) => isWorse)).toBe(false);
});

it('prints both figures, their ratio, and what is worse', () => {
  const rows = pairRows({
    here: [turn(['an upload', 'ms', 12], ['searched', 'MB/s', 150])],
    there: [turn(['an upload', 'ms', 10], ['gone', 'MB', 1])],
  });
  expect(formatPairs(rows, '294ed66').split('\n')).toEqual([
    'measured             this tree     294ed66       ratio',
    'embedded: an upload  12.0 ms       10.0 ms       1.20 ×  WORSE',
    'embedded: gone       not measured  1.00 MB',
    'embedded: searched   150 MB/s      not measured',
    '',
  ]);
});
