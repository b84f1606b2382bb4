import { expect, it } from 'vitest';
import { readCruiseReport } from '../source/cruise.ts';
import { repositoryRoot } from '../source/source-files.ts';

// What each of these reaches without being asked for a driver or a trial does no I/O: catalogs, documents and checks read it.
const entries = ['programs', 'find-program', 'find-denial', 'catalog', 'tried-programs', 'named-commands'];
const PURE = /^packages\/(?:programs|contracts|domain)\//;
const MODEL = /node_modules\/zod\//;

it('what is known of the programs can be read without I/O: a driver is loaded where it is needed [DL-76]', async () => {
  const { modules } = await readCruiseReport(repositoryRoot);
  const byPath = new Map(modules.map((module) => [module.source, module]));
  const reached = new Set(entries.map((name) => `packages/programs/src/${name}.ts`));
  for (const path of reached) {
    expect(byPath.has(path), path).toBe(true);
    for (const { resolved, dynamic, dependencyTypes } of byPath.get(path)?.dependencies ?? [])
      if (!dynamic && !dependencyTypes.includes('type-only') && !MODEL.test(resolved)) reached.add(resolved);
  }
  const facts = [...reached].filter((path) => path.startsWith('packages/programs/src/'));
  expect(facts.length).toBeGreaterThan(15);
  expect(facts.filter((path) => /driver|settings/.test(path))).toEqual([]);
  expect([...reached].filter((path) => !PURE.test(path))).toEqual([]);
});
