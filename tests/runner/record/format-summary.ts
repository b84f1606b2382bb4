import { countTests, type FileRecord, type ProjectResult, sumCounts } from './test-record.ts';

/** The lines that end a run; the last one is alone on its line and holds the totals. `beyondBudget` names what had no room in a budget. */
export function formatSummary(
  results: readonly ProjectResult[],
  isCi: boolean,
  beyondBudget: readonly string[] = [],
): string[] {
  const total = sumCounts(results);
  const optional = results.filter(({ isOptional }) => isOptional).flatMap(listSkipped);
  const skipped = results.filter(({ isOptional }) => !isOptional).flatMap(listSkipped);
  return [
    ...results.map(formatProject),
    ...skipped.map((suite) => `skipped  ${suite}`),
    ...(isCi && skipped.length > 0
      ? ['With CI=true a skipped test fails the run: provide what the suites above name.']
      : []),
    ...optional.map((suite) => `left out, as it is optional  ${suite}`),
    ...(beyondBudget.length > 0 ? [`left out, beyond the budget  ${beyondBudget.join(', ')}`] : []),
    '',
    `${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`,
  ];
}

/** Names what did not run, each suite once. One that lacks a server says so in its title. */
function listSkipped({ project, files, unrunReasons }: ProjectResult): string[] {
  const suites = files.flatMap(({ file, tests }) =>
    tests.filter(({ state }) => state === 'skipped').map(({ name }) => `${file}: ${name.split(' > ')[0]}`),
  );
  return [...new Set(suites), ...unrunReasons.map((why) => `${project}: all of it. ${why}`)];
}

function formatProject(result: ProjectResult): string {
  const { passed, failed, skipped } = countTests(result);
  const isEmpty = passed + failed + skipped === 0;
  const outcome = isEmpty ? 'no tests' : `passed ${passed}, failed ${failed}, skipped ${skipped}`;
  const seconds = (result.durationMs / 1000).toFixed(1).padStart(7);
  return `${result.project.padEnd(14)}${seconds} s  ${result.exitCode === 0 ? '' : 'FAILED '}${outcome}`;
}

const SLOWEST = 20;

/** The slowest tests of a run. */
export function formatSlowest(files: readonly FileRecord[]): string[] {
  const tests = files.flatMap(({ file, tests }) => tests.map((test) => ({ file, ...test })));
  const slowest = tests.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, SLOWEST);
  return slowest.map(
    ({ file, name, durationMs }) => `${(durationMs / 1000).toFixed(1).padStart(7)} s  ${file}: ${name.slice(0, 120)}`,
  );
}
