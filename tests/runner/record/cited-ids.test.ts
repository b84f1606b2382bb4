import { expect, it } from 'vitest';
import { findUnshownIds, listPromisedIds, listProvenIds, readIds } from './cited-ids.ts';

it('reads the ids of a title, and nothing else in brackets', () => {
  expect(readIds('survives [W2 W13 AT-02] and [x] and [A12]')).toEqual(['W2', 'W13', 'AT-02', 'A12']);
  expect(readIds('a list [1, 2] of [a b]')).toEqual([]);
});

it('lists what tests cite that passed, also by the titles of their suites', () => {
  const tests = [
    { name: 'a suite [S1] > a test [DL-08]', state: 'passed' as const, durationMs: 1 },
    { name: 'another [A2]', state: 'failed' as const, durationMs: 1 },
  ];
  const file = { file: 'a', durationMs: 1, tests, isBroken: false };
  const result = { project: 'unit', durationMs: 1, exitCode: 1, files: [file], unrunReasons: [] };
  expect(listProvenIds([result])).toEqual(['DL-08', 'S1']);
});

it('lists what the table of requirements says', () => {
  expect(listPromisedIds('| id | what |\n| --- | --- |\n| SR-01 | A file. |\n| W2 | Again. |\n')).toEqual([
    'SR-01',
    'W2',
  ]);
});

it('an id is unshown that none of several runs has shown', () => {
  expect(findUnshownIds(['A1', 'W2', 'W3'], 'A1 W2\nW20\n')).toEqual(['W3']);
  expect(findUnshownIds(['A1'], '')).toEqual(['A1']);
});
