import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repositoryRoot } from './source-files.ts';

it('there are no feature flags: what a target takes is the only gate [DL-94]', () => {
  const documented = readFileSync(join(repositoryRoot, 'docs/configuration.md'), 'utf8');
  const names = new Set([...documented.matchAll(/ATTACHE_[A-Z0-9_]+/g)].map(([name]) => name));
  expect(names.size).toBeGreaterThan(20);
  expect([...names].filter((name) => /FEATURE|ENABLE|DISABLE|FLAG|EXPERIMENT|BETA/.test(name))).toEqual([]);
});
