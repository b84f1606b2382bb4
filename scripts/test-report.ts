/** How the tests of one project, or of all, ended. */
export type TestCounts = { passed: number; failed: number; skipped: number };

/** The part of vitest's JSON report that is read here. */
export type VitestReport = {
  testResults: {
    name: string;
    status: string;
    assertionResults: { status: string; title: string; ancestorTitles: string[] }[];
  }[];
};

export type ProjectResult = {
  project: string;
  durationMs: number;
  /** Exit code of vitest; anything but 0 fails the run, whatever was counted. */
  exitCode: number;
  counts: TestCounts;
  /** `<file>: <suite>` of everything skipped, each once. A suite that lacks a server says so in its title. */
  skippedSuites: string[];
};

/** A server that cannot be had here, why, and what to do about it. */
export type MissingServer = { name: string; why: string };

/** A project that was not run at all for want of servers: one skipped test that says so. */
export function countUnrun(project: string, missing: readonly MissingServer[]): ProjectResult {
  const skippedSuites = missing.map(({ name, why }) => `${project}: all of it needs ${name}. ${why}`);
  return { project, durationMs: 0, exitCode: 0, counts: { passed: 0, failed: 0, skipped: 1 }, skippedSuites };
}

/** Counts a report. A file that failed outside its tests (at import, in a hook) counts as one failed test. */
export function countTests({ testResults }: VitestReport): TestCounts {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of testResults) {
    for (const { status } of file.assertionResults) counts[toOutcome(status)] += 1;
    const hasFailedTest = file.assertionResults.some(({ status }) => status === 'failed');
    if (file.status === 'failed' && !hasFailedTest) counts.failed += 1;
  }
  return counts;
}

/** Names what was skipped, by file and outermost suite. */
export function listSkippedSuites({ testResults }: VitestReport): string[] {
  const suites = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => toOutcome(status) === 'skipped')
      .map(({ ancestorTitles, title }) => `${name}: ${ancestorTitles[0] ?? title}`),
  );
  return [...new Set(suites)];
}

/** Sums up projects. One that ended badly with no failed test to show for it counts as one failed test. */
export function sumCounts(results: ProjectResult[]): TestCounts {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { counts, exitCode } of results) {
    total.passed += counts.passed;
    total.failed += counts.failed > 0 || exitCode === 0 ? counts.failed : 1;
    total.skipped += counts.skipped;
  }
  return total;
}

/** Whether the whole run failed. In CI nothing may be skipped: a missing server there is a fault of the machine. */
export function isFailedRun(total: TestCounts, isCi: boolean): boolean {
  return total.failed > 0 || (isCi && total.skipped > 0);
}

/** The lines that end a run; the last one stands alone and holds the totals. */
export function formatSummary(results: ProjectResult[], isCi: boolean): string[] {
  const total = sumCounts(results);
  const skipped = results.flatMap(({ skippedSuites }) => skippedSuites);
  return [
    ...results.map(formatProject),
    ...skipped.map((suite) => `skipped  ${suite}`),
    ...(isCi && skipped.length > 0
      ? ['With CI=true a skipped test fails the run: provide what the suites above name.']
      : []),
    '',
    `${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`,
  ];
}

/** What to say before the projects that need servers: where those come from, which suites will not run, and why. */
export function formatMissingServers(options: {
  from: 'containers' | 'native';
  missing: readonly MissingServer[];
  projects: readonly string[];
  isCi: boolean;
}): string[] {
  const { from, missing, projects, isCi } = options;
  if (missing.length === 0)
    return [from === 'containers' ? 'Servers run in containers.' : 'Servers run as programs of this machine.'];
  return [
    ...missing.map(({ name, why }) => `Suites that need ${name} will not run (${projects.join(', ')}): ${why}`),
    ...(isCi ? ['With CI=true this fails the run.'] : []),
  ];
}

function formatProject({ project, durationMs, exitCode, counts }: ProjectResult): string {
  const { passed, failed, skipped } = counts;
  const outcome =
    passed + failed + skipped === 0 && exitCode === 0
      ? 'no tests'
      : `passed ${passed}, failed ${failed}, skipped ${skipped}`;
  return `${project.padEnd(14)}${(durationMs / 1000).toFixed(1).padStart(7)} s  ${exitCode === 0 ? '' : 'FAILED '}${outcome}`;
}

function toOutcome(status: string): keyof TestCounts {
  return status === 'passed' || status === 'failed' ? status : 'skipped';
}
