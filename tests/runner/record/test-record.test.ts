import { describe, expect, it } from 'vitest';
import { formatSlowest, formatSummary } from './format-summary.ts';
import {
  countTests,
  type FileRecord,
  isFailedRun,
  type ProjectResult,
  sumCounts,
  type TestRecord,
} from './test-record.ts';

const test = (state: TestRecord['state'], name = 'does it', durationMs = 5): TestRecord => ({
  name,
  state,
  durationMs,
});
const file = (name: string, tests: TestRecord[], isBroken = false): FileRecord => ({
  ...{ file: name, tests, isBroken, durationMs: 9 },
});
const result = (project: string, files: FileRecord[], rest: Partial<ProjectResult> = {}): ProjectResult => ({
  ...{ project, files, durationMs: 1500, exitCode: 0, unrunReasons: [], ...rest },
});

describe('counting a project', () => {
  it('counts passed, failed and skipped tests, and a file that failed outside its tests', () => {
    const files = [file('a', [test('passed'), test('failed'), test('skipped')]), file('b', [test('passed')], true)];
    expect(countTests(result('unit', files, { exitCode: 1 }))).toEqual({ passed: 2, failed: 2, skipped: 1 });
  });

  it('counts a bad end without a failed test as one, and what did not run as skipped', () => {
    expect(countTests(result('unit', [file('a', [test('passed')])], { exitCode: 1 }))).toMatchObject({ failed: 1 });
    expect(countTests(result('int', [], { unrunReasons: ['no Go'] }))).toEqual({ passed: 0, failed: 0, skipped: 1 });
  });
});

describe('the whole run', () => {
  const passed = result('unit', [file('a', [test('passed'), test('passed')])]);

  it('fails on a failed test, and on a skipped one in CI alone', () => {
    expect(isFailedRun(sumCounts([passed]), true)).toBe(false);
    const skipped = sumCounts([passed, result('int', [file('b', [test('skipped')])])]);
    expect([isFailedRun(skipped, false), isFailedRun(skipped, true)]).toEqual([false, true]);
    expect(isFailedRun(sumCounts([result('int', [file('b', [test('failed')])])]), false)).toBe(true);
  });

  it('ends with one line of totals', () => {
    expect(formatSummary([passed, result('faults', [])], true)).toEqual([
      'unit              1.5 s  passed 2, failed 0, skipped 0',
      'faults            1.5 s  no tests',
      '',
      '2 passed, 0 failed, 0 skipped',
    ]);
  });

  it('says once what was skipped, and in CI that this fails the run', () => {
    const suite = file('x.int.test.ts', [test('skipped', 'needs Postgres > a'), test('skipped', 'needs Postgres > b')]);
    const lines = formatSummary([result('int', [suite]), result('e2e-hosted', [], { unrunReasons: ['no Go'] })], true);
    expect(lines).toContain('skipped  x.int.test.ts: needs Postgres');
    expect(lines).toContain('skipped  e2e-hosted: all of it. no Go');
    expect(lines.filter((line) => line.startsWith('skipped'))).toHaveLength(2);
    expect(lines.join('\n')).toContain('With CI=true a skipped test fails the run');
  });

  it('names an optional suite that was left out, and blames no machine for it', () => {
    const clients = result('clients (long)', [], { unrunReasons: ['no Python'], isOptional: true });
    expect(formatSummary([passed, clients], true).slice(-3)).toEqual([
      'left out, as it is optional  clients (long): all of it. no Python',
      '',
      '2 passed, 0 failed, 0 skipped',
    ]);
    expect(isFailedRun(sumCounts([passed, clients]), true)).toBe(false);
  });

  it('names what had no room in the budget before the totals', () => {
    expect(formatSummary([passed], true, ['agents pi', 'queries all of them']).slice(-3)).toEqual([
      'left out, beyond the budget  agents pi, queries all of them',
      '',
      '2 passed, 0 failed, 0 skipped',
    ]);
  });

  it('names the twenty slowest tests, the slowest first', () => {
    const tests = Array.from({ length: 30 }, (_, index) => test('passed', `test ${index}`, index * 1000));
    const lines = formatSlowest([file('a.test.ts', tests)]);
    expect(lines).toHaveLength(20);
    expect(lines[0]).toBe('   29.0 s  a.test.ts: test 29');
  });
});
