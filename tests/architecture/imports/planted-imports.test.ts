import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CruiseResult, cruise, rulesFile } from '../source/cruise.ts';
import { listCodeFiles } from '../source/source-files.ts';
import { allowedFiles, plantedImports, rootVendors } from './planted-imports.ts';
import { createWorkspaceSkeleton, writeAt } from './workspace-skeleton.ts';

describe('a planted import', () => {
  const skeleton = createWorkspaceSkeleton(rootVendors);
  let result: CruiseResult;

  beforeAll(async () => {
    for (const { path, text } of [...plantedImports, ...allowedFiles]) writeAt(skeleton.root, path, text);
    result = await cruise(skeleton.root);
  });
  afterAll(() => skeleton.dispose());

  it.each(plantedImports)('fails: $shows ($rule)', ({ rule, path }) => {
    expect(rulesFor(result, path)).toContain(rule);
  });

  it('is found in a tree that was read whole', () => {
    expect(result.modules).toEqual(listCodeFiles(skeleton.root));
  });

  it('exists for every rule', () => {
    const rules: { forbidden: { name: string }[] } = createRequire(import.meta.url)(rulesFile);
    const planted = new Set(plantedImports.map(({ rule }) => rule));
    expect(rules.forbidden.map(({ name }) => name).filter((name) => !planted.has(name))).toEqual([]);
  });

  it.each(allowedFiles)('is not seen where the import is allowed: $path', ({ path }) => {
    expect(rulesFor(result, path)).toEqual([]);
  });

  it('fails nothing but the planted files', () => {
    const planted = new Set(plantedImports.map(({ path }) => path));
    expect(result.violations.filter(({ from }) => !planted.has(from))).toEqual([]);
  });
});

function rulesFor(result: CruiseResult, path: string): string[] {
  return result.violations.filter(({ from }) => from === path).map(({ rule }) => rule);
}
