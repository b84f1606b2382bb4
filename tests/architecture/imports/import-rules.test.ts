import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { cruise, rulesFile } from '../source/cruise.ts';
import { listCodeFiles, repositoryRoot } from '../source/source-files.ts';

type Rules = { forbidden: { name: string; severity: string }[]; options: Record<string, unknown> };

describe('import rules of the workspace', async () => {
  const { modules, violations } = await cruise(repositoryRoot);

  it('reads every code file', () => {
    expect(modules.length).toBeGreaterThan(0);
    // Some read examples beside them, which are data.
    expect(modules.filter((path) => !path.endsWith('.json'))).toEqual(listCodeFiles(repositoryRoot));
  });

  it('hold for every import: contracts, pure domain, ports and adapters are apart, and drivers know no HTTP, bus or UI [DL-11 DL-13]', () => {
    expect(violations.map(({ rule, from, to }) => `${rule}: ${from} -> ${to}`)).toEqual([]);
  });
});

describe('the rules themselves', () => {
  const rules: Rules = createRequire(import.meta.url)(rulesFile);

  it('all stand at error', () => {
    expect(rules.forbidden.length).toBeGreaterThan(0);
    expect(rules.forbidden.filter((rule) => rule.severity !== 'error')).toEqual([]);
  });

  it('see types and dynamic imports, and know no list of accepted violations', () => {
    expect(rules.options).toMatchObject({
      parser: 'swc',
      tsPreCompilationDeps: true,
      doNotFollow: { path: 'node_modules' },
    });
    expect(
      Object.keys(rules.options).filter((name) => ['exclude', 'includeOnly', 'knownViolations'].includes(name)),
    ).toEqual([]);
  });
});
