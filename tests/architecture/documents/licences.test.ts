import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const permissive = /^(?:MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|Unlicense)$/;

type Package = {
  name: string;
  license?: string;
  licenses?: { type: string }[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

const readPackage = (folder: string): Package => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Finds a package as Node does from a folder. Undefined: one of another machine. */
function findFolder(from: string, name: string): string | undefined {
  const found = join(from, 'node_modules', name);
  if (existsSync(found)) return realpathSync(found);
  return dirname(from) === from ? undefined : findFolder(dirname(from), name);
}

/** The licence of each package that the product runs with, except our own. */
function listLicences(): Map<string, string> {
  const licences = new Map<string, string>();
  const folders = [join(root, 'apps/cli')];
  for (const folder of folders) {
    const { name, license, licenses = [], dependencies, optionalDependencies } = readPackage(folder);
    if (!name.startsWith('@attache/')) licences.set(name, license ?? licenses.map(({ type }) => type).join());
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = findFolder(folder, next);
      if (found !== undefined && !folders.includes(found)) folders.push(found);
    }
  }
  return licences;
}

it('README names each package that runs with the product under a licence with conditions of its own, and its licence', () => {
  const licences = [...listLicences()];
  expect(licences.length).toBeGreaterThan(60);
  const bound = licences.filter(([, licence]) => !permissive.test(licence));
  expect(bound.map(([name]) => name)).toContain('mediabunny');
  const rows = readFileSync(join(root, 'README.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const unnamed = bound.filter(
    ([name, licence]) => !rows.some((row) => row.includes(`\`${name}\``) && row.endsWith(`| ${licence} |`)),
  );
  expect(unnamed).toEqual([]);
});
