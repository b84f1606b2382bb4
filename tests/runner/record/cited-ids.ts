import type { ProjectResult } from './test-record.ts';

/** A test that passed, and cites ids in its name. */
export type Citation = { file: string; name: string };

const GROUP = /\[((?:[A-Z]{1,2}-?\d+ ?)+)\]/g;

/** The requirements that a title cites: `[AT-20 W1]`. */
export function readIds(title: string): string[] {
  return [...title.matchAll(GROUP)].flatMap(([, ids = '']) => ids.trim().split(' '));
}

/** The name of a test without the ids that it cites. */
export function withoutIds(name: string): string {
  return name.replaceAll(new RegExp(` ?${GROUP.source}`, 'g'), '');
}

/** The tests that ran and passed and cite requirements. */
export function listCitations(results: readonly ProjectResult[]): Citation[] {
  return results
    .flatMap(({ files }) => files.flatMap(({ file, tests }) => tests.map((test) => ({ ...test, file }))))
    .filter(({ state, name }) => state === 'passed' && readIds(name).length > 0)
    .map(({ file, name }) => ({ file, name }));
}

/** The requirements that the tests cite, sorted. */
export function listCitedIds(citations: readonly Citation[]): string[] {
  return [...new Set(citations.flatMap(({ name }) => readIds(name)))].sort();
}
