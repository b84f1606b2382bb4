/** How one test ended. */
export type TestRecord = {
  /** Its suites and its title, joined by ` > `. */
  name: string;
  state: 'passed' | 'failed' | 'skipped';
  durationMs: number;
};

export type FileRecord = {
  /** Relative to the repository. */
  file: string;
  durationMs: number;
  tests: TestRecord[];
  /** Whether it failed outside its tests, at an import or in a hook. */
  isBroken: boolean;
};

/** The record that vitest's reporter writes of one run of one project. */
export type RunRecord = { files: FileRecord[] };

/** One run of a project, as the runner sees it. */
export type ProjectResult = {
  project: string;
  durationMs: number;
  /** Exit code of vitest; anything but 0 fails the run, whatever was counted. */
  exitCode: number;
  files: FileRecord[];
  /** Why nothing of it ran, if it lacks a server or a program. */
  unrunReasons: string[];
  /** It may be left out if it lacks something: it is named, and not counted. */
  isOptional?: boolean;
};

export type TestCounts = { passed: number; failed: number; skipped: number };

/** Counts a project. A file that failed outside its tests counts as one failed test, as does a bad end with no failure to show. */
export function countTests({ files, exitCode, unrunReasons, isOptional = false }: ProjectResult): TestCounts {
  const counts = { passed: 0, failed: 0, skipped: unrunReasons.length > 0 && !isOptional ? 1 : 0 };
  for (const { tests, isBroken } of files) {
    for (const { state } of tests) counts[state] += 1;
    if (isBroken) counts.failed += 1;
  }
  if (exitCode !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

export function sumCounts(results: readonly ProjectResult[]): TestCounts {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const counts of results.map(countTests)) {
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
  }
  return total;
}

/** Whether the whole run failed. In CI nothing may be skipped: a missing server there is a fault of the machine. */
export function isFailedRun(total: TestCounts, isCi: boolean): boolean {
  return total.failed > 0 || (isCi && total.skipped > 0);
}
