import { expect, it } from 'vitest';
import type { Unit } from '../report/result.ts';
import { formatPairs, type Measured, pairRows } from './pair-rows.ts';

const turn = (...rows: [what: string, unit: Unit, p50: number][]): Measured => ({
  embedded: rows.map(([what, unit, p50]) => ({ what, unit, product: { p50 } })),
});

it('holds the middle turn of a row against that of the same row of the other tree', () => {
  const rows = pairRows({
    here: [
      turn(['an upload', 'ms', 12], ['a search', 'MB/s', 90]),
      turn(['an upload', 'ms', 30], ['a search', 'MB/s', 10]),
      turn(['an upload', 'ms', 14], ['a search', 'MB/s', 60]),
    ],
    there: [
      turn(['an upload', 'ms', 10], ['a search', 'MB/s', 40]),
      turn(['an upload', 'ms', 18], ['a search', 'MB/s', 60]),
    ],
  });
  expect(rows).toEqual([
    { name: 'embedded: an upload', unit: 'ms', here: 14, there: 14, ratio: 1, isWorse: false },
    { name: 'embedded: a search', unit: 'MB/s', here: 60, there: 50, ratio: 1.2, isWorse: false },
  ]);
});

it('compares what each turn needed of its own floor, where a row has one: a slow machine slows both', () => {
  const floored = (p50: number, floor: number): Measured => ({
    embedded: [{ what: 'it', unit: 'ms', product: { p50 }, floor: { p50: floor } }],
  });
  const [row] = pairRows({ here: [floored(20, 10), floored(44, 20)], there: [floored(10, 5), floored(11, 5)] });
  expect(row).toEqual({ name: 'embedded: it', unit: 'ms', here: 32, there: 10.5, ratio: 1, isWorse: false });
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
