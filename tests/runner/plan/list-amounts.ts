import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const CODE = '{packages,services,apps,infra,scripts,tests}/**/*.ts';
const TEST = /\.(test|spec)\.ts$/;
const CONTRACT = /\.contract\.ts$/;
const VARIABLE = 'ATTACHE_TEST_AMOUNT';

/**
 * The test files that do more when ATTACHE_TEST_AMOUNT is `all`: those that read it, or import what does, as contract suites that import each other. Files
 * of the long tests do more in any case, and those of the agents run whole, program by program.
 */
export function listAmounts(root: string): string[] {
  const files = globSync(CODE, { cwd: root, exclude: ['**/node_modules/**', 'tests/{runner,agents}/**'] });
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  return findAmounts(texts).filter((file) => !file.endsWith('.long.test.ts'));
}

/** The tests whose amount can be chosen, among files that are given as texts by their paths. */
export function findAmounts(texts: ReadonlyMap<string, string>): string[] {
  const found = new Set([...texts].filter(([, text]) => text.includes(VARIABLE)).map(([file]) => file));
  const reach = (isPassedOn: (file: string) => boolean) => {
    const names = [...found].filter((file) => !TEST.test(file)).map((file) => `/${basename(file)}'`);
    const reached = [...texts].filter(([file, text]) => isPassedOn(file) && names.some((name) => text.includes(name)));
    const before = found.size;
    for (const [file] of reached) found.add(file);
    return found.size > before;
  };
  while (reach((file) => CONTRACT.test(file)));
  reach((file) => TEST.test(file));
  return [...found].filter((file) => TEST.test(file)).toSorted();
}
