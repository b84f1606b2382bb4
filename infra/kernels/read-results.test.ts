import { expect, it } from 'vitest';
import { readResults } from './read-results.ts';

const report = (tests: readonly [string, string][], file: Record<string, unknown> = {}) =>
  JSON.stringify({
    testResults: [
      {
        ...{ name: '/repository/a.test.ts', status: 'passed', message: '', ...file },
        assertionResults: tests.map(([fullName, status]) => ({ fullName, status, failureMessages: [] })),
      },
    ],
  });

it('counts what passed, and complains of nothing where all did', () => {
  const left = 'attache-gateway\ncgroup.procs\n';
  expect(readResults(report([['a', 'passed']]), left)).toEqual({ passedCount: 1, complaints: [] });
});

it('complains of a test that failed, one that did not run, and a file without any', () => {
  const { complaints } = readResults(
    report([...(['failed', 'skipped'] as const).map((each) => [each, each] as [string, string])]),
    '',
  );
  expect(complaints).toEqual(['failed: failed', 'did not run: skipped']);
  const broken = readResults(report([], { status: 'failed', message: 'no such module' }), '');
  expect(broken.complaints).toEqual(['no test ran', '/repository/a.test.ts: no such module']);
});

it('complains of a cgroup that an agent left behind', () => {
  expect(readResults(report([['a', 'passed']]), 'attache-agent-x\n').complaints).toEqual([
    'the cgroup attache-agent-x was left behind',
  ]);
});
