import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { judgeImports, readCruiseReport, rulesFile } from '../source/cruise.ts';
import { listCodeFiles, repositoryRoot } from '../source/source-files.ts';

type Rules = { forbidden: { name: string; severity: string }[]; options: Record<string, unknown> };

// The modules that each of these reaches, unless a driver or a trial is asked for, do no I/O: catalogs, documents and checks read them.
const entries = ['programs', 'find-program', 'find-denial', 'catalog', 'tried-programs', 'named-commands'];
// Tables of code pages are no I/O.
const PURE = /^packages\/(?:programs|contracts|domain)\/|\/node_modules\/iconv-lite\//;
const MODEL = /node_modules\/zod\//;

const report = await readCruiseReport(repositoryRoot);

describe('import rules of the workspace', () => {
  const { modules, violations } = judgeImports(report);

  it('reads every code file', () => {
    expect(modules.length).toBeGreaterThan(0);
    // Some read examples next to them, which are data, or the look of a page.
    expect(modules.filter((path) => !/\.(json|css)$/.test(path))).toEqual(listCodeFiles(repositoryRoot));
  });

  it('hold for every import: contracts, pure domain, ports and adapters are apart, and drivers know no HTTP, bus or UI [DL-11 DL-13]', () => {
    expect(violations.map(({ rule, from, to }) => `${rule}: ${from} -> ${to}`)).toEqual([]);
  });
});

describe('the exports of a package', () => {
  const manifests = globSync('{packages,services,apps,tests}/*/package.json', { cwd: repositoryRoot });

  it('are files that are there', () => {
    expect(manifests.length).toBeGreaterThan(30);
    expect(manifests.flatMap((manifest) => findMissingExports(join(repositoryRoot, manifest)))).toEqual([]);
  });

  it('are missed where one is gone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'attache-exports-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const manifest = join(folder, 'package.json');
    writeFileSync(manifest, JSON.stringify({ exports: { '.': './package.json', './gone': './src/gone.ts' } }));
    expect(findMissingExports(manifest)).toEqual([`${manifest}: ./src/gone.ts`]);
  });
});

function findMissingExports(manifest: string): string[] {
  const { exports = {} }: { exports?: Record<string, string> } = JSON.parse(readFileSync(manifest, 'utf8'));
  const missing = Object.values(exports).filter((path) => globSync(path, { cwd: dirname(manifest) }).length === 0);
  return missing.map((path) => `${manifest}: ${path}`);
}

it('what is known of the programs can be read without I/O: a driver is loaded where it is needed [DL-76]', () => {
  const byPath = new Map(report.modules.map((module) => [module.source, module]));
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
