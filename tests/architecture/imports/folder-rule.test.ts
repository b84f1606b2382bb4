import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCodeFiles, listShippedFiles, repositoryRoot } from '../source/source-files.ts';
import { listImports, readSourceFile } from '../source/syntax-tree.ts';
import { findCircles, findLargeFolders, knownCircles, largeFolders, MAX_MODULES, type Module } from './folder-rule.ts';

const paths = listCodeFiles(repositoryRoot).filter((path) => path.endsWith('.ts'));
// A fixture knows what its package ships, whose tests know it: that is no circle of what ships.
const shipped = new Set(listShippedFiles(repositoryRoot));
const composed = paths.filter((path) => shipped.has(path) || !/^(packages|services|apps)\//.test(path));
const modules: Module[] = composed.map((path) => ({
  path,
  imports: listImports(readSourceFile(repositoryRoot, path))
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(posix.dirname(path), name)),
}));

describe('the folders', () => {
  it('were read', () => {
    expect(modules.filter(({ imports }) => imports.length > 0).length).toBeGreaterThan(100);
  });

  it('hold no more modules than a reader takes in at a glance, the listed ones aside', () => {
    expect(findLargeFolders(paths).map(({ folder }) => folder)).toEqual(largeFolders.map(({ folder }) => folder));
  });

  it('beside each other form no circle, the listed ones aside', () => {
    expect(findCircles(modules)).toEqual(knownCircles.map(({ folders }) => folders));
  });
});

describe('planted', () => {
  const shelf = (count: number) => Array.from({ length: count }, (_, index) => `packages/a/src/b/m${index}.ts`);

  it('a full folder is found, its index aside', () => {
    expect(findLargeFolders([...shelf(MAX_MODULES), 'packages/a/src/b/index.ts'])).toEqual([]);
    const folder = 'packages/a/src/b';
    expect(findLargeFolders(shelf(MAX_MODULES + 1))).toEqual([{ folder, modules: MAX_MODULES + 1 }]);
  });

  it('a test counts with what it tests beside it', () => {
    const tests = [
      'm0.test.ts',
      'm0.int.test.ts',
      'm1.process.test.ts',
      'm1.long.test.ts',
      'm2.spec.ts',
      'm3.contract.ts',
    ];
    expect(findLargeFolders([...shelf(MAX_MODULES), ...tests.map((name) => `packages/a/src/b/${name}`)])).toEqual([]);
    const [folder, other] = ['packages/a/src/b', 'packages/a/src/b/other.test.ts'];
    expect(findLargeFolders([...shelf(MAX_MODULES), other])).toEqual([{ folder, modules: MAX_MODULES + 1 }]);
  });

  it('a full folder of tests alone is found', () => {
    const tests = Array.from({ length: MAX_MODULES + 1 }, (_, index) => `tests/e2e/a/t${index}.test.ts`);
    expect(findLargeFolders(tests)).toEqual([{ folder: 'tests/e2e/a', modules: MAX_MODULES + 1 }]);
    expect(findLargeFolders(tests.slice(1))).toEqual([]);
  });

  const module = (path: string, ...imports: string[]): Module => ({ path, imports });

  it('a circle of three folders is found', () => {
    const [a, b, c] = ['packages/a/src/x/1.ts', 'packages/a/src/y/2.ts', 'packages/a/src/z/deep/3.ts'];
    expect(findCircles([module(a, b), module(b, c), module(c, a)])).not.toEqual([]);
    expect(findCircles([module(a, b), module(b, c), module(a, c)])).toEqual([]);
  });

  it('a circle of folders of tests is found', () => {
    const [a, b] = ['tests/e2e/x/1.ts', 'tests/e2e/y/2.ts'];
    expect(findCircles([module(a, b), module(b, a)])).toEqual([['tests/e2e/x', 'tests/e2e/y']]);
    expect(findCircles([module('scripts/x/1.ts', 'tests/y/2.ts'), module('tests/y/2.ts', 'scripts/x/1.ts')])).toEqual(
      [],
    );
  });

  it('what composes folders and what they share are no circle', () => {
    const [root, low] = ['packages/a/src/compose.ts', 'packages/a/src/x/1.ts'];
    expect(findCircles([module(root, low), module(low, 'packages/a/src/types.ts')])).toEqual([]);
  });
});
