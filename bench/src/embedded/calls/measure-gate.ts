import { type ScanOutcome, scanArguments } from '@attache/domain';
import { compare, type Result } from '../../report/result.ts';
import { interleave, summarise } from '../../report/sample.ts';
import type { EmbeddedBench } from '../bench.ts';
import { hostileTexts } from './hostile-texts.ts';
import { describeCalls, listThings, readSources } from './tool-calls.ts';

const ROUNDS = 40;
const WARM_ROUNDS = 10;
/** The size of a batch: a single call is shorter than the clock's own noise. */
const CHARACTERS_PER_SAMPLE = 3_000_000;
const MAX_REPEATS = 10_000;
const MAX_RATIO = 1;
const FEW_THINGS = 1_000;
const MANY_THINGS = 10_000;
const MAX_GROWTH = 2;
const MEGABYTE = 1_000_000;
const MAX_MS_PER_MEGABYTE = 20;
const SHORT_HOSTILE = 1_000;
const LONG_HOSTILE = 16_000;
const MAX_HOSTILE_GROWTH = 1.2;
const HOSTILE_ROUNDS = 10;
const HOSTILE_WARM_ROUNDS = 3;

type Rounds = Pick<EmbeddedBench, 'counted'>;

/** How long `work` takes for a call of this length, in milliseconds, as the mean of a batch. */
function timeEach(callLength: number, work: () => unknown): number {
  const repeats = Math.min(MAX_REPEATS, Math.ceil(CHARACTERS_PER_SAMPLE / callLength));
  const startedAt = performance.now();
  for (let repeat = 0; repeat < repeats; repeat += 1) work();
  return (performance.now() - startedAt) / repeats;
}

/** Scans without a pause. */
function scanAll(input: unknown): ScanOutcome {
  const pieces = scanArguments(input);
  let piece = pieces.next();
  while (piece.done !== true) piece = pieces.next();
  return piece.value;
}

function scan(input: unknown): readonly string[] {
  const outcome = scanAll(input);
  if (outcome.status === 'over-limit') throw new Error(`A call of the benchmark is above the limit ${outcome.limit}.`);
  return outcome.candidates;
}

async function measureAgainstParse({ counted }: Rounds, name: string, call: string): Promise<Result> {
  const input: unknown = JSON.parse(call);
  const samples = await interleave(
    { warm: WARM_ROUNDS, counted: counted(ROUNDS) },
    {
      floor: async () => timeEach(call.length, () => JSON.parse(call)),
      product: async () => timeEach(call.length, () => scan(input)),
    },
  );
  return compare(
    {
      what: `scan of a tool call of ${Math.ceil(call.length / 1_000).toLocaleString('en')} kB: ${name}`,
      unit: 'ms',
      floorIs: 'JSON.parse of the call',
      target: { of: 'ratio', atMost: MAX_RATIO },
    },
    samples,
  );
}

/** Time for a thousand things, if there are this many. */
function timePerThousand(count: number): () => Promise<number> {
  const call = listThings(count);
  const input: unknown = JSON.parse(call);
  return async () => (timeEach(call.length, () => scan(input)) * 1_000) / count;
}

async function measureGrowth({ counted }: Rounds): Promise<Result> {
  const samples = await interleave(
    { warm: WARM_ROUNDS, counted: counted(ROUNDS) },
    { floor: timePerThousand(FEW_THINGS), product: timePerThousand(MANY_THINGS) },
  );
  return compare(
    {
      what: `the same, per 1,000 things, where there are ${MANY_THINGS.toLocaleString('en')}`,
      unit: 'ms',
      floorIs: `where there are ${FEW_THINGS.toLocaleString('en')}`,
      target: { of: 'ratio', atMost: MAX_GROWTH },
    },
    samples,
  );
}

/** The time for a megabyte of hostile text, be it scanned or found to be above a limit, and whether a longer text takes more for each kilobyte. */
async function measureHostile({ counted }: Rounds, name: string, write: (length: number) => string): Promise<Result[]> {
  const rounds = { warm: HOSTILE_WARM_ROUNDS, counted: counted(HOSTILE_ROUNDS) };
  const timePerMegabyte = (length: number) => {
    const input = { text: write(length) };
    return async () => (timeEach(length, () => scanAll(input)) * MEGABYTE) / length;
  };
  const timeLarge = timePerMegabyte(MEGABYTE);
  const large: number[] = [];
  for (let round = -rounds.warm; round < rounds.counted; round += 1) {
    const sample = await timeLarge();
    if (round >= 0) large.push(sample);
  }
  const longer = await interleave(rounds, {
    floor: timePerMegabyte(SHORT_HOSTILE),
    product: timePerMegabyte(LONG_HOSTILE),
  });
  const what = `scan of 1 MB of hostile text: ${name}`;
  return [
    {
      ...{ what, unit: 'ms', product: summarise(large) },
      target: { of: 'product', atMost: MAX_MS_PER_MEGABYTE },
    },
    compare(
      {
        what: `the same, per MB, in texts of ${LONG_HOSTILE / 1_000} kB`,
        unit: 'ms',
        floorIs: `of ${SHORT_HOSTILE / 1_000} kB`,
        target: { of: 'ratio', atMost: MAX_HOSTILE_GROWTH },
      },
      longer,
    ),
  ];
}

/** Throws if ordinary code holds what the scan takes for an id. */
function checkFalseAlarms(say: EmbeddedBench['say']): void {
  // Its examples hold real ids, so a find there is no false alarm.
  const sources = readSources().filter(({ path }) => !path.endsWith('/request-examples.ts'));
  const alarms = sources.flatMap(({ path, content }) => scan(content).map((candidate) => `${candidate} in ${path}`));
  say(`  ${alarms.length} false alarms in ${sources.length} files of code`);
  if (alarms.length > 0) throw new Error(`Taken for ids: ${alarms.join(', ')}`);
}

/** The search for attachment ids in a tool call, in this process: computing alone. */
export async function measureGate(bench: EmbeddedBench): Promise<Result[]> {
  bench.say('  gate');
  checkFalseAlarms(bench.say);
  const results: Result[] = [];
  for (const [name, call] of Object.entries(describeCalls())) {
    results.push(await measureAgainstParse(bench, name, call));
  }
  results.push(await measureGrowth(bench));
  for (const [name, write] of Object.entries(hostileTexts)) results.push(...(await measureHostile(bench, name, write)));
  return results;
}
