import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ProjectResult, TestRecord } from './test-record.ts';
import { completeTimes, formatDrift, keepTimes, readTimes } from './times.ts';

const seen = { measuredOn: '2026-01-01', machine: '2 × any' };
const result = (
  project: string,
  durationMs: number,
  files: Record<string, TestRecord['state']> = { 'a.test.ts': 'passed' },
): ProjectResult => ({
  ...{ project, durationMs, exitCode: 0, unrunReasons: [] },
  files: Object.entries(files).map(([file, state]) => ({
    ...{ file, durationMs: 1234, isBroken: false },
    tests: [{ name: 'it', state, durationMs: 9 }],
  })),
});

/** A repository with these test files. */
function givenRoot(...files: string[]): { root: string; path: string } {
  const root = mkdtempSync(join(tmpdir(), 'attache-times-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const file of files) writeFileSync(join(root, file), '');
  return { root, path: join(root, 'times.json') };
}

it('keeps the seconds of projects and files beside those of other projects', () => {
  const { path } = givenRoot();
  keepTimes(path, [result('unit', 2_000)], seen);
  keepTimes(path, [result('int', 60_000, { 'b.test.ts': 'passed' })], seen);
  keepTimes(path, [result('int', 60_120)], seen);
  expect(readTimes(path)).toEqual({
    ...seen,
    projects: { unit: 2, int: 60.12 },
    files: { unit: { 'a.test.ts': 1.23 }, int: { 'a.test.ts': 1.23, 'b.test.ts': 1.23 } },
  });
  expect(readFileSync(path, 'utf8').endsWith('\n')).toBe(true);
});

it('adds rows of files that ran where they are missing, changes none, and drops those of files that are gone', () => {
  const { root, path } = givenRoot('a.test.ts', 'b.test.ts', 'c.test.ts');
  keepTimes(path, [result('unit', 2_000, { 'a.test.ts': 'passed', 'gone.test.ts': 'passed' })], seen);
  const later = { ...result('unit', 9_000, { 'b.test.ts': 'passed', 'c.test.ts': 'failed' }) };
  later.files.push({ ...{ file: 'a.test.ts', durationMs: 9_999, isBroken: false }, tests: [] });
  completeTimes(path, [later, result('e2e', 100, { 'c.test.ts': 'skipped' })], { root, seen });
  expect(readTimes(path)).toEqual({
    ...{ ...seen, projects: { unit: 2 } },
    files: { unit: { 'a.test.ts': 1.23, 'b.test.ts': 1.23 } },
  });
});

it('leaves the file alone where no row is missing or too many', () => {
  const { root, path } = givenRoot('a.test.ts');
  keepTimes(path, [result('unit', 2_000)], seen);
  const before = statSync(path, { bigint: true }).mtimeNs;
  completeTimes(path, [result('unit', 3_000)], { root, seen });
  expect(statSync(path, { bigint: true }).mtimeNs).toBe(before);
});

it('says by how much a project differs from its kept time', () => {
  const { path } = givenRoot();
  keepTimes(path, [result('unit', 10_000)], seen);
  expect(formatDrift([result('unit', 12_000), result('int', 5_000)], readTimes(path)).slice(1)).toEqual([
    'unit             12.0 s    10.0 s   +20 %',
    'int               5.0 s               new',
  ]);
  expect(formatDrift([result('unit', 12_000)], undefined)).toHaveLength(2);
});
