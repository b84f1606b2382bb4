import type { ProjectResult } from './test-record.ts';

const GROUP = /\[((?:[A-Z]{1,2}-?\d+ ?)+)\]/g;

/** The requirements that a title cites: `[AT-20 W1]`. */
export function readIds(title: string): string[] {
  return [...title.matchAll(GROUP)].flatMap(([, ids = '']) => ids.trim().split(' '));
}

/** The requirements that tests cite which ran and passed, sorted. */
export function listProvenIds(results: readonly ProjectResult[]): string[] {
  const passed = results
    .flatMap(({ files }) => files.flatMap(({ tests }) => tests))
    .filter((test) => test.state === 'passed');
  return [...new Set(passed.flatMap(({ name }) => readIds(name)))].sort();
}

/** The requirements that tests/requirements.md lists as held. */
export function listPromisedIds(requirements: string): string[] {
  return [...requirements.matchAll(/^\| ([A-Z]{1,2}-?\d+) \|/gm)].map(([, id = '']) => id);
}

/** Of the ids, those that none of the runs has shown which wrote these lines. */
export function findUnshownIds(promised: readonly string[], shown: string): string[] {
  const known = new Set(shown.split(/\s+/));
  return promised.filter((id) => !known.has(id));
}
