import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ProjectResult } from './test-record.ts';
import { formatDrift, keepTimes, readTimes } from './times.ts';

const seen = { measuredOn: '2026-01-01', machine: '2 × any' };
const result = (project: string, durationMs: number): ProjectResult => ({
  ...{ project, durationMs, exitCode: 0, unrunReasons: [] },
  files: [
    {
      ...{ file: 'a.test.ts', durationMs: 1234, isBroken: false },
      tests: [
        { name: 'slow', state: 'passed', durationMs: 1200 },
        { name: 'fast', state: 'passed', durationMs: 9 },
      ],
    },
  ],
});

function givenFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'attache-times-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'times.json');
}

it('keeps the seconds of projects, files and tests beside those of other projects', () => {
  const path = givenFile();
  keepTimes(path, [result('unit', 2_000)], seen);
  keepTimes(path, [result('int', 60_120)], seen);
  expect(readTimes(path)).toEqual({
    ...seen,
    projects: {
      unit: { seconds: 2, files: { 'a.test.ts': { seconds: 1.23, tests: { slow: 1.2 } } } },
      int: { seconds: 60.12, files: { 'a.test.ts': { seconds: 1.23, tests: { slow: 1.2 } } } },
    },
  });
  expect(readFileSync(path, 'utf8').endsWith('\n')).toBe(true);
});

it('says by how much a project differs from its kept time', () => {
  const path = givenFile();
  keepTimes(path, [result('unit', 10_000)], seen);
  expect(formatDrift([result('unit', 12_000), result('int', 5_000)], readTimes(path)).slice(1)).toEqual([
    'unit             12.0 s    10.0 s   +20 %',
    'int               5.0 s               new',
    'all of these     12.0 s    10.0 s   +20 %',
  ]);
  expect(formatDrift([result('unit', 12_000)], undefined)).toHaveLength(3);
});
