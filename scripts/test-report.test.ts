import { describe, expect, it } from 'vitest';
import {
  countTests,
  countUnrun,
  formatMissingServers,
  formatSummary,
  isFailedRun,
  listSkippedSuites,
  type ProjectResult,
  sumCounts,
} from './test-report.ts';

const test = (status: string, title = 'does it', ancestorTitles: string[] = []) => ({ status, title, ancestorTitles });
const file = (name: string, status: string, ...assertionResults: ReturnType<typeof test>[]) => ({
  name,
  status,
  assertionResults,
});

function result(
  project: string,
  counts: Partial<ProjectResult['counts']>,
  rest: Partial<ProjectResult> = {},
): ProjectResult {
  const all = { passed: 0, failed: 0, skipped: 0, ...counts };
  return { project, durationMs: 1500, exitCode: 0, skippedSuites: [], ...rest, counts: all };
}

describe('counting a report', () => {
  it('counts passed, failed, and skipped or planned tests', () => {
    const report = {
      testResults: [file('a', 'failed', test('passed'), test('failed'), test('skipped'), test('todo'))],
    };
    expect(countTests(report)).toEqual({ passed: 1, failed: 1, skipped: 2 });
  });

  it('counts a file that failed outside its tests', () => {
    expect(countTests({ testResults: [file('a', 'failed'), file('b', 'failed', test('passed'))] })).toEqual({
      passed: 1,
      failed: 2,
      skipped: 0,
    });
  });

  it('names each skipped suite once', () => {
    const skipped = test('skipped', 'x', ['on Postgres', 'inner']);
    const report = {
      testResults: [file('a', 'passed', skipped, skipped, test('passed')), file('b', 'passed', test('todo', 'later'))],
    };
    expect(listSkippedSuites(report)).toEqual(['a: on Postgres', 'b: later']);
  });
});

describe('the whole run', () => {
  it('fails where a project ended badly without a failed test', () => {
    const total = sumCounts([
      result('unit', { passed: 3 }, { exitCode: 1 }),
      result('int', { failed: 2 }, { exitCode: 1 }),
    ]);
    expect(total).toEqual({ passed: 3, failed: 3, skipped: 0 });
    expect(isFailedRun(total, false)).toBe(true);
  });

  it('fails on skipped tests in CI alone', () => {
    const total = { passed: 1, failed: 0, skipped: 1 };
    expect(isFailedRun(total, false)).toBe(false);
    expect(isFailedRun(total, true)).toBe(true);
  });

  it('ends with one line of totals', () => {
    const lines = formatSummary([result('unit', { passed: 2 }), result('faults', {})], true);
    expect(lines).toEqual([
      'unit              1.5 s  passed 2, failed 0, skipped 0',
      'faults            1.5 s  no tests',
      '',
      '2 passed, 0 failed, 0 skipped',
    ]);
  });

  it('says what was skipped, and in CI that this fails the run', () => {
    const results = [result('int', { skipped: 4 }, { skippedSuites: ['a: on Postgres'] })];
    expect(formatSummary(results, false)).toContain('skipped  a: on Postgres');
    expect(formatSummary(results, true).at(-3)).toMatch(/^With CI=true a skipped test fails the run/);
  });
});

describe('the servers', () => {
  const missing = [{ name: 'minio', why: 'it is not on PATH.' }];
  const projects = ['int', 'e2e-hosted'];

  it('are said to be there, and from where', () => {
    const lines = formatMissingServers({ from: 'containers', missing: [], projects, isCi: true });
    expect(lines).toEqual(['Servers run in containers.']);
  });

  it('are what a project that was not run lacked, which counts as skipped', () => {
    const unrun = countUnrun('e2e-hosted', missing);
    expect(unrun.skippedSuites).toEqual(['e2e-hosted: all of it needs minio. it is not on PATH.']);
    expect(isFailedRun(sumCounts([unrun]), false)).toBe(false);
    expect(isFailedRun(sumCounts([unrun]), true)).toBe(true);
  });

  it('are named where they are missing, with why, and with what that means in CI', () => {
    const line = 'Suites that need minio will not run (int, e2e-hosted): it is not on PATH.';
    expect(formatMissingServers({ from: 'native', missing, projects, isCi: false })).toEqual([line]);
    const inCi = formatMissingServers({ from: 'native', missing, projects, isCi: true });
    expect(inCi).toEqual([line, 'With CI=true this fails the run.']);
  });
});
