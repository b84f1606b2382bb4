import { scanArguments } from '@attache/domain';
import { compare, type Result } from '../result.ts';
import { interleave } from '../sample.ts';
import type { EmbeddedBench } from './bench.ts';
import { describeCalls, listThings, readSources } from './tool-calls.ts';

const ROUNDS = 40;
const WARM_ROUNDS = 10;
/** Of a batch: a single call is shorter than the clock's own noise. */
const CHARACTERS_PER_SAMPLE = 3_000_000;
const MAX_REPEATS = 10_000;
const MAX_RATIO = 1;
const FEW_THINGS = 1_000;
const MANY_THINGS = 10_000;
const MAX_GROWTH = 2;

type Rounds = Pick<EmbeddedBench, 'counted'>;

/** How long `work` takes for a call of this length, in milliseconds, as the mean of a batch. */
function timeEach(callLength: number, work: () => unknown): number {
  const repeats = Math.min(MAX_REPEATS, Math.ceil(CHARACTERS_PER_SAMPLE / callLength));
  const startedAt = performance.now();
  for (let repeat = 0; repeat < repeats; repeat += 1) work();
  return (performance.now() - startedAt) / repeats;
}

function scan(input: unknown): readonly string[] {
  const outcome = scanArguments(input);
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

/** Time for a thousand things, where there are this many. */
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

/** Throws where ordinary code holds what the scan takes for an id. */
function checkFalseAlarms(say: EmbeddedBench['say']): void {
  const sources = readSources();
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
  return [...results, await measureGrowth(bench)];
}
