import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeFullDisk, MIB } from './describe-full-disk.ts';
import { type Interruption, listenForInterrupt } from './interrupt.ts';
import { makeTestBundle } from './make-test-bundle.ts';
import { findNeeds, type Lacks } from './plan/find-needs.ts';
import { readProjectFinder } from './plan/find-projects.ts';
import { keepReached, narrowRuns } from './plan/narrow-runs.ts';
import { planLong, planShort, type RunFacts } from './plan/plan-runs.ts';
import { type ProjectRun, projects } from './plan/projects.ts';
import { findReachedTests, listChanges } from './plan/reach.ts';
import { readFacts } from './plan/read-facts.ts';
import { readImportGraph } from './plan/read-import-graph.ts';
import { readOptions, type TestOptions } from './plan/read-options.ts';
import { listCitations, listCitedIds } from './record/cited-ids.ts';
import { formatSlowest, formatSummary } from './record/format-summary.ts';
import { readRequirements } from './record/requirements.ts';
import { isFailedRun, type ProjectResult, sumCounts } from './record/test-record.ts';
import { completeTimes, formatDrift, keepTimes, readTimes } from './record/times.ts';
import { runLanes } from './run-lanes.ts';
import { runVitest } from './run-vitest.ts';

// `npm test`: every project, cheap ones first; `npm test -- unit tests/e2e/agents/idle.test.ts` runs a project and a file.
// `npm run test:long`: what `npm test` leaves out; with `--budget 20m` a choice of it.

const root = fileURLToPath(new URL('../..', import.meta.url));
const timesFile = join(root, 'tests/times.json');
const isCi = process.env.CI === 'true';
// A round number for bundles, data folders and servers of two lanes; a run was not measured.
const NEEDED_BYTES = 1024 * MIB;
const FULL_BYTES = 16 * MIB;

const names = projects.map(({ name }) => name);

const print = (line: string) => void process.stdout.write(`${line}\n`);

const [mode = 'short', ...args] = process.argv.slice(2);
const interruption = listenForInterrupt({ graceMs: 10_000 });
process.exitCode = await main(mode === 'long', args, interruption).catch((error: Error) => {
  process.stderr.write(`${describeFullDisk(tmpdir(), FULL_BYTES) ?? error.message}\n`);
  return 2;
});

async function main(isLong: boolean, given: readonly string[], { interrupted }: Interruption): Promise<number> {
  const isFull = describeFullDisk(tmpdir(), NEEDED_BYTES);
  if (isFull !== undefined) {
    print(isFull);
    return 2;
  }
  const options = readOptions(given, { root, projects: names });
  const facts = await readFacts(root, options.seed);
  print(`seed ${facts.seed}`);
  const { runs, leftOut } = isLong
    ? planLongRuns(facts, options)
    : { runs: await planShortRuns(facts, options), leftOut: [] };
  const results = await runAll(runs, facts, isLong, interrupted);
  await interruption.ended();
  if (interruption.signal !== undefined) return 128 + constants.signals[interruption.signal];
  return report(results, leftOut, options);
}

async function planShortRuns(facts: RunFacts, { projects: wanted, files, since }: TestOptions): Promise<ProjectRun[]> {
  if (files.length > 0) {
    const whole = wanted.length > 0 ? planShort(facts, wanted) : [];
    const others = planShort(
      facts,
      names.filter((name) => !wanted.includes(name)),
    );
    return [...whole, ...narrowRuns(others, files, await readProjectFinder(root))];
  }
  const runs = planShort(facts, wanted);
  if (since === undefined) return runs;
  const reached = findReachedTests(await readImportGraph(root), listChanges(root, since));
  if (reached === undefined) print(`The change since ${since} can reach every test.`);
  else print(`The change since ${since} can reach ${reached.length} test files.`);
  if (reached === undefined) return runs;
  // An expensive test is worth its cost if a change can break what it tests.
  const long = wanted.length === 0 ? planShort(facts, ['long']) : [];
  return keepReached([...runs, ...long], reached, await readProjectFinder(root));
}

function planLongRuns(facts: RunFacts, { projects: wanted, budgetMs }: TestOptions): ReturnType<typeof planLong> {
  const { runs, leftOut } = planLong(facts, wanted, budgetMs, readTimes(timesFile));
  for (const { name, files, environment } of runs)
    print(`${name}: ${files?.join(' ') ?? Object.values(environment ?? {}).join(' ')}`);
  if (leftOut.length > 0) print(`left out this time: ${leftOut.join(', ')}`);
  return { runs, leftOut };
}

async function runAll(
  runs: ProjectRun[],
  { seed }: RunFacts,
  isLong: boolean,
  interrupted: AbortSignal,
): Promise<ProjectResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'attache-test-run-'));
  // Agents with users of their own start from the bundle in it.
  chmodSync(folder, 0o711);
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), `attache-compile-cache-${process.getuid?.() ?? 0}`);
  let lacks: Lacks = () => [];
  try {
    return await runLanes(runs, {
      async prepare() {
        const bundle = join(folder, 'bundle');
        await makeTestBundle(bundle);
        if (interrupted.aborted) return;
        lacks = await findNeeds(runs, process.env, isCi);
        // Behind it: what it builds takes all processors, and a sandbox that it installs is there for the programs that are asked.
        if (!interrupted.aborted && runs.some(({ project }) => project.hasStacks)) await makeTemplate(bundle);
      },
      async runProject(run) {
        print(`\n=== ${run.name} (${runs.indexOf(run) + 1} of ${runs.length}) ===`);
        const result = await runProject(run, { seed, isLong, folder, lacks });
        print(`--- ${run.name}: ${(result.durationMs / 1000).toFixed(1)} s`);
        const full = result.exitCode === 0 ? undefined : describeFullDisk(tmpdir(), FULL_BYTES);
        if (full !== undefined) print(full);
        return result;
      },
      interrupted,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// Stacks under test read where they run from in the environment, so it is set before their code is loaded.
async function makeTemplate(bundle: string): Promise<void> {
  const { makeProbedTemplate } = await import('../e2e/stack/probed-template.ts');
  await makeProbedTemplate(bundle);
}

async function runProject(
  run: ProjectRun,
  how: { seed: number; isLong: boolean; folder: string; lacks: Lacks },
): Promise<ProjectResult> {
  const { project, name, files, environment = {} } = run;
  const unrunReasons = how.lacks(run);
  const isOptional = project.hasClientTools === true;
  if (unrunReasons.length > 0)
    return { project: name, durationMs: 0, exitCode: 0, files: [], unrunReasons, isOptional };
  const { exitCode, durationMs, record } = await runVitest({
    root,
    project: project.name,
    files: files ?? [],
    recordFile: join(how.folder, `${project.name}.json`),
    repeat: `npm ${how.isLong ? 'run test:long' : 'test'} -- ${project.name} --seed ${how.seed}`,
    environment: { ...environment, ATTACHE_TEST_SEED: String(how.seed) },
  });
  return { project: name, durationMs, exitCode, files: record.files, unrunReasons: [] };
}

function report(
  results: readonly ProjectResult[],
  leftOut: readonly string[],
  { isKeepingTimes }: TestOptions,
): number {
  const kept = readTimes(timesFile);
  const isFailed = isFailedRun(sumCounts(results), isCi);
  if (isKeepingTimes && !isFailed) keepTimes(timesFile, results, describeMeasurement());
  completeTimes(timesFile, results, { root, seen: describeMeasurement() });
  const citations = listCitations(results);
  const cited = listCitedIds(citations);
  // The results of several runs together are checked by check-ids.ts.
  const { ATTACHE_TEST_SHOWN_IDS: shownFile } = process.env;
  if (shownFile) appendFileSync(shownFile, citations.map((citation) => `${JSON.stringify(citation)}\n`).join(''));
  const requirements = readRequirements(readFileSync(join(root, 'tests/requirements.md'), 'utf8'));
  const unshown = requirements.map(({ id }) => id).filter((id) => !cited.includes(id));
  print('\nSlowest tests');
  for (const line of formatSlowest(results.flatMap(({ files }) => files))) print(line);
  print('\nTimes');
  for (const line of formatDrift(results, kept)) print(line);
  print(`\n${cited.length} ids are cited by tests that passed: ${cited.join(' ')}`);
  print(`listed, but not among them: ${unshown.join(' ') || 'none'}`);
  print(`\n${formatSummary(results, isCi, leftOut).join('\n')}`);
  return isFailed ? 1 : 0;
}

function describeMeasurement() {
  const [processor] = cpus();
  return {
    measuredOn: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} × ${processor?.model ?? 'unknown'}`,
  };
}
