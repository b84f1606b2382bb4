import { execFileSync, type StdioOptions } from 'node:child_process';
import { appendFileSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { haveAgentsChanged } from '@attache/test-agents/changes';
import { keysUnderTest } from '@attache/test-agents/runtimes';
import { makeTestBundle } from './make-test-bundle.ts';
import { seedOf } from './plan/draw.ts';
import { findNeeds } from './plan/find-needs.ts';
import { listTagged } from './plan/hosted-tag.ts';
import { type KillProject, planLong, planShort, type RunFacts } from './plan/plan-runs.ts';
import { type ProjectRun, projects } from './plan/projects.ts';
import { findReachedTests, listChanges } from './plan/reach.ts';
import { readImportGraph } from './plan/read-import-graph.ts';
import { readOptions, type TestOptions } from './plan/read-options.ts';
import { listPromisedIds, listProvenIds } from './record/cited-ids.ts';
import { formatSlowest, formatSummary } from './record/format-summary.ts';
import { isFailedRun, type ProjectResult, sumCounts } from './record/test-record.ts';
import { formatDrift, keepTimes, readTimes } from './record/times.ts';
import { runVitest } from './run-vitest.ts';

// `npm test`: every project, cheap ones first; `npm test -- unit e2e` runs some of them.
// `npm run test:long`: what `npm test` leaves out; with `--budget 20m` a choice of it.

const root = fileURLToPath(new URL('../..', import.meta.url));
const timesFile = join(root, 'tests/times.json');
const isCi = process.env.CI === 'true';

const print = (line: string) => void process.stdout.write(`${line}\n`);

const [mode = 'short', ...args] = process.argv.slice(2);
process.exitCode = await main(mode === 'long', args).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  return 2;
});

async function main(isLong: boolean, given: readonly string[]): Promise<number> {
  const options = readOptions(
    given,
    projects.map(({ name }) => name),
  );
  const facts = readFacts(options);
  print(`seed ${facts.seed}`);
  const runs = isLong ? planLongRuns(facts, options) : await planShortRuns(facts, options);
  return await runAll(runs, facts, isLong, options);
}

function readFacts({ seed }: TestOptions): RunFacts {
  return {
    seed: seed ?? seedOf(readCommit()),
    hosted: { every: listTagged(root, 'every'), long: listTagged(root, 'long') },
    agents: keysUnderTest,
    kills: { faults: listKills('faults'), 'faults-hosted': listKills('faults-hosted') },
    areAgentsChanged: haveAgentsChanged(),
  };
}

/** The test files of a project that make more kills when they are asked to. */
function listKills(project: KillProject): string[] {
  const folders = project === 'faults-hosted' ? '{faults-hosted,takeover}' : project;
  const files = globSync(`tests/${folders}/**/*.test.ts`, { cwd: root });
  const isLonger = (file: string) =>
    /ATTACHE_TEST_KILLS|readTakeoverOptions/.test(readFileSync(join(root, file), 'utf8'));
  return files.filter(isLonger).toSorted();
}

/** The commit; where there is no git, or no repository, the day. */
function readCommit(): string {
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio }).trim();
  } catch {
    return new Date().toISOString().slice(0, 10);
  }
}

async function planShortRuns(facts: RunFacts, { projects: wanted, since }: TestOptions): Promise<ProjectRun[]> {
  const runs = planShort(facts, wanted);
  if (since === undefined) return runs;
  const reached = findReachedTests(await readImportGraph(root), listChanges(root, since));
  if (reached === undefined) print(`The change since ${since} can reach every test.`);
  else print(`The change since ${since} can reach ${reached.length} test files.`);
  return reached === undefined ? runs : narrow(runs, reached);
}

// Vitest runs those of the files that belong to the project.
function narrow(runs: readonly ProjectRun[], reached: readonly string[]): ProjectRun[] {
  return runs.flatMap((run) => {
    if (run.project.readsTree) return [run];
    const files = run.files === undefined ? reached : reached.filter((file) => run.files?.includes(file));
    return files.length === 0 ? [] : [{ ...run, files }];
  });
}

function planLongRuns(facts: RunFacts, { projects: wanted, budgetMs }: TestOptions): ProjectRun[] {
  const { runs, leftOut } = planLong(facts, wanted, budgetMs, readTimes(timesFile));
  for (const { name, files, environment } of runs)
    print(`${name}: ${files?.join(' ') ?? Object.values(environment ?? {}).join(' ')}`);
  if (leftOut.length > 0) print(`left out this time: ${leftOut.join(', ')}`);
  return runs;
}

async function runAll(runs: ProjectRun[], facts: RunFacts, isLong: boolean, options: TestOptions): Promise<number> {
  const lacks = await findNeeds(runs, process.env, isCi);
  const folder = mkdtempSync(join(tmpdir(), 'attache-test-run-'));
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), `attache-compile-cache-${process.getuid?.() ?? 0}`);
  const removeBundle = await makeTestBundle();
  const results: ProjectResult[] = [];
  try {
    for (const [index, run] of runs.entries()) {
      print(`\n=== ${run.name} (${index + 1} of ${runs.length}) ===`);
      const unrunReasons = lacks(run);
      const isOptional = run.project.hasClientTools === true;
      const none = { project: run.name, durationMs: 0, exitCode: 0, files: [], unrunReasons, isOptional };
      const result = unrunReasons.length > 0 ? none : await runProject(run, facts.seed, isLong, folder);
      if (typeof result === 'string') return 128 + constants.signals[result];
      results.push(result);
      print(`--- ${run.name}: ${(result.durationMs / 1000).toFixed(1)} s`);
    }
  } finally {
    removeBundle();
    rmSync(folder, { recursive: true, force: true });
  }
  return report(results, options);
}

async function runProject(
  { project, name, files = [], environment = {} }: ProjectRun,
  seed: number,
  isLong: boolean,
  folder: string,
): Promise<ProjectResult | NodeJS.Signals> {
  const end = await runVitest({
    root,
    project: project.name,
    files,
    recordFile: join(folder, `${project.name}.json`),
    repeat: `npm ${isLong ? 'run test:long' : 'test'} -- ${project.name} --seed ${seed}`,
    environment: { ...environment, ATTACHE_TEST_SEED: String(seed) },
  });
  if ('signal' in end) return end.signal;
  const { exitCode, durationMs, record } = end;
  return { project: name, durationMs, exitCode, files: record.files, unrunReasons: [] };
}

function report(results: readonly ProjectResult[], { isKeepingTimes }: TestOptions): number {
  const kept = readTimes(timesFile);
  const isFailed = isFailedRun(sumCounts(results), isCi);
  if (isKeepingTimes && !isFailed) keepTimes(timesFile, results, describeMeasurement());
  const proven = listProvenIds(results);
  // What several runs have shown together is checked by check-ids.ts.
  const { ATTACHE_TEST_SHOWN_IDS: shownFile } = process.env;
  if (shownFile) appendFileSync(shownFile, `${proven.join(' ')}\n`);
  const promised = listPromisedIds(readFileSync(join(root, 'tests/requirements.md'), 'utf8'));
  const unshown = promised.filter((id) => !proven.includes(id));
  print('\nSlowest tests');
  for (const line of formatSlowest(results.flatMap(({ files }) => files))) print(line);
  print('\nTimes');
  for (const line of formatDrift(results, kept)) print(line);
  print(`\n${proven.length} ids are cited by tests that passed: ${proven.join(' ')}`);
  print(`listed, but not among them: ${unshown.join(' ') || 'none'}`);
  print(`\n${formatSummary(results, isCi).join('\n')}`);
  return isFailed ? 1 : 0;
}

function describeMeasurement() {
  const [processor] = cpus();
  return {
    measuredOn: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${processor?.model ?? 'unknown'}`,
  };
}
