import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchAgainst } from './src/against/bench-against.ts';
import { describeDrift, findLastRun } from './src/report/describe-drift.ts';
import { describeMachine, formatMachine } from './src/report/describe-machine.ts';
import { describeMisses, formatTable } from './src/report/result.ts';
import { type Run, resultsFolder, writeFigures, writeRun } from './src/report/write-report.ts';
import { listMeasurements, measurementNames, runEmbedded, runHosted, type Selection } from './src/run-measurements.ts';
import { benchScale } from './src/scale/bench-scale.ts';

// `npm run bench [-- --quick] [--hosted | --versitygw | --embedded] [--only <name>]`: measures the product against floors in the same run. Ends 1 if a
// target is missed. With `--against <commit>` it measures this tree against another one instead, and ends 1 if a row is worse.

const QUICK_SHARE = 0.25;
const LEAST_ROUNDS = 2;
const MOST_TURNS = 20;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    hosted: { type: 'boolean', default: false },
    versitygw: { type: 'boolean', default: false },
    embedded: { type: 'boolean', default: false },
    scale: { type: 'boolean', default: false },
    only: { type: 'string' },
    against: { type: 'string' },
    rows: { type: 'string' },
    turns: { type: 'string', default: '2' },
  },
});
if (values.only !== undefined && !measurementNames.includes(values.only)) {
  throw new Error(`--only takes one of ${measurementNames.join(', ')}.`);
}
const turns = Number(values.turns);
if (!Number.isInteger(turns) || turns < 1 || turns > MOST_TURNS) throw new Error(`--turns takes 1 to ${MOST_TURNS}.`);
if (values.rows !== undefined && values.against === undefined) throw new Error('--rows needs --against.');

const say = (line: string): void =>
  void process.stderr.write(`${String(Math.round(performance.now() / 1000)).padStart(4)} s  ${line}\n`);
const ending = new AbortController();
const { promise: interrupted, reject: interrupt } = Promise.withResolvers<never>();
interrupted.catch(() => {});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // Started processes are stopped on the way out.
  process.once(signal, () => {
    const error = new Error(`Ended by ${signal}.`);
    interrupt(error);
    ending.abort(error);
  });
}
const allStacks = ['hosted', 'versitygw', 'embedded'] as const;
const isAnyNamed = values.scale || allStacks.some((stack) => values[stack]);
// The commit may have no bench for another store.
const isMeant = (stack: (typeof allStacks)[number]) => stack !== 'versitygw' || values.against === undefined;
const stacks = allStacks.filter((stack) => (isAnyNamed ? values[stack] : isMeant(stack)));
const { against } = values;

process.exitCode = (await (against === undefined ? measureHere() : measureAgainst(against))) ? 0 : 1;

async function measureAgainst(commit: string): Promise<boolean> {
  const worse = await benchAgainst({
    root: fileURLToPath(new URL('..', import.meta.url)),
    ...{ commit, turns, isQuick: values.quick, rows: values.rows, signal: ending.signal, say },
    measurements: listMeasurements(stacks, { only: values.only, isQuick: values.quick }),
  });
  for (const { name, ratio } of worse) say(`Worse: ${name}: ${ratio?.toFixed(2)} ×`);
  return worse.length === 0;
}

async function measureHere(): Promise<boolean> {
  const failures: string[] = [];
  const selection: Selection = {
    only: values.only,
    isQuick: values.quick,
    interrupted,
    ending: ending.signal,
    fail(name, error) {
      failures.push(name);
      say(`Failed: ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    },
    counted: (rounds) =>
      values.quick ? Math.max(Math.min(rounds, LEAST_ROUNDS), Math.round(rounds * QUICK_SHARE)) : rounds,
    say,
  };
  const run: Run = {
    startedAt: new Date(),
    isQuick: values.quick,
    only: values.only,
    machine: describeMachine(),
    servers: {},
    failures,
    results: {},
  };
  for (const [stack, store] of [
    ['hosted', 'minio'],
    ['versitygw', 'versitygw'],
  ] as const) {
    if (!stacks.includes(stack) || ending.signal.aborted) continue;
    const { results, servers } = await runHosted(selection, store);
    // Targets are set for MinIO.
    run.results[stack] = stack === 'hosted' ? results : results.map((result) => ({ ...result, target: undefined }));
    Object.assign(run.servers, servers);
  }
  if (stacks.includes('embedded') && !ending.signal.aborted) run.results.embedded = await runEmbedded(selection);
  if (values.scale && !ending.signal.aborted) {
    const { results, servers } = await benchScale({ ...selection, isWhole: !values.quick });
    run.results.scale = results;
    Object.assign(run.servers, servers);
  }

  const all = Object.values(run.results).flat();
  for (const [stack, results] of Object.entries(run.results)) {
    if (results.length > 0) process.stdout.write(`\n${stack}\n${formatTable(results)}`);
  }
  process.stdout.write(`\n${formatMachine(run.machine)}\n`);
  const last = await findLastRun(resultsFolder, Object.keys(run.results));
  if (last) process.stdout.write(`\n${describeDrift(run.results, last).join('\n')}\n`);
  say(`Written: ${relative(process.cwd(), await writeRun(run))}`);
  // An interrupted or partial run makes no table for readers.
  if (values.only === undefined && !values.quick && !values.scale && failures.length === 0) await writeFigures(run);
  const misses = describeMisses(all);
  for (const sentence of misses) say(sentence);
  if (failures.length > 0) say(`Failed: ${failures.join(', ')}`);
  return misses.length + failures.length === 0;
}
