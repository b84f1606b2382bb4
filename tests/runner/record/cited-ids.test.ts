import { expect, it } from 'vitest';
import { listCitations, listCitedIds, readIds, withoutIds } from './cited-ids.ts';

it('reads the ids of a title, and nothing else in brackets', () => {
  expect(readIds('survives [W2 W13 AT-02] and [x] and [A12]')).toEqual(['W2', 'W13', 'AT-02', 'A12']);
  expect(readIds('a list [1, 2] of [a b]')).toEqual([]);
});

it('a name without its ids is that of its suites and its title', () => {
  expect(withoutIds('a suite [S1] > a test [DL-08 W1]')).toBe('a suite > a test');
  expect(withoutIds('a test [DL-08], once')).toBe('a test, once');
  expect(withoutIds('a list [1, 2]')).toBe('a list [1, 2]');
});

it('lists the tests that passed and cite ids, also by the titles of their suites', () => {
  const tests = [
    { name: 'a suite [S1] > a test [DL-08]', state: 'passed' as const, durationMs: 1 },
    { name: 'another [A2]', state: 'failed' as const, durationMs: 1 },
    { name: 'one that did not run [A3]', state: 'skipped' as const, durationMs: 0 },
    { name: 'one without an id', state: 'passed' as const, durationMs: 1 },
  ];
  const file = { file: 'a.test.ts', durationMs: 1, tests, isBroken: false };
  const result = { project: 'unit', durationMs: 1, exitCode: 1, files: [file], unrunReasons: [] };
  const citations = listCitations([result]);
  expect(citations).toEqual([{ file: 'a.test.ts', name: 'a suite [S1] > a test [DL-08]' }]);
  expect(listCitedIds(citations)).toEqual(['DL-08', 'S1']);
});
