import type { EmbeddedBench } from '../embedded/bench.ts';
import { readOwnBytes, readThreadsCpuMs } from '../processes/process-cost.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, summarise, time } from '../report/sample.ts';
import { makeConversation, makeRefusedConversation } from './request-bodies.ts';
import { startWays, type Way, type Ways } from './start-ways.ts';

const MEBIBYTE = 1024 * 1024;
const SMALL_BYTES = 40_000;
const LARGE_BYTES = 25_000_000;
const FIRST_BYTE_ROUNDS = 300;
const LARGE_ROUNDS = 30;
const STREAM_ROUNDS = 15;
const WARM_ROUNDS = 5;
const STREAMS = 100;
const EVENTS = 100;
const OPEN_REQUESTS = 40;
const MEMORY_ROUNDS = 3;
const MAX_FIRST_BYTE_MS = 2;
const MAX_LARGE_RATIO = 1.25;
const MAX_QUARANTINED_RATIO = 2;
const MIN_STREAM_RATIO = 0.8;
const MAX_OPEN_MB = 2;

/** The relay between programs and their model API, against a bare pass-through in front of the same API. */
export async function measureRelay({ counted, say }: Pick<EmbeddedBench, 'counted' | 'say'>): Promise<Result[]> {
  say('  relay');
  await using ways = await startWays();
  return [
    ...(await measureFirstByte(ways, counted(FIRST_BYTE_ROUNDS))),
    ...(await measureLarge(ways, counted(LARGE_ROUNDS))),
    ...(await measureQuarantined(ways, counted(LARGE_ROUNDS))),
    await measureStreams(ways, counted(STREAM_ROUNDS)),
    await measureOpen(ways, counted(MEMORY_ROUNDS)),
  ];
}

const sidesOf = ({ relay, passThrough }: Ways, sample: (way: Way) => Promise<number>) => ({
  floor: () => sample(passThrough),
  product: () => sample(relay),
});

async function measureFirstByte(ways: Ways, rounds: number): Promise<Result[]> {
  const body = makeConversation(SMALL_BYTES);
  const samples = await interleave(
    { warm: WARM_ROUNDS, counted: rounds },
    sidesOf(ways, async (way) => (await way.ask(body, 1)).firstByteMs),
  );
  const differences = samples.product.map((sample, round) => sample - (samples.floor[round] ?? Number.NaN));
  const what = 'first byte of a model’s answer, request of 40 kB';
  return [
    compare({ what, unit: 'ms', floorIs: 'bare pass-through' }, samples),
    {
      ...{ what: 'the same, above the bare pass-through', unit: 'ms', product: summarise(differences) },
      target: { of: 'product', atMost: MAX_FIRST_BYTE_MS },
    },
  ];
}

function measureLarge(ways: Ways, rounds: number): Promise<Result[]> {
  const body = makeConversation(LARGE_BYTES);
  const target = { of: 'ratio', atMost: MAX_LARGE_RATIO } as const;
  return measureWhole(ways, { way: ways.relay, body, rounds, what: 'request of 25 MB to a model, answered', target });
}

/** The body waits on the disk until it is whole. */
function measureQuarantined(ways: Ways, rounds: number): Promise<Result[]> {
  const body = makeRefusedConversation(LARGE_BYTES);
  const target = { of: 'ratio', atMost: MAX_QUARANTINED_RATIO } as const;
  const what = 'request of 25 MB with a quarantined picture, answered';
  return measureWhole(ways, { way: ways.quarantined, body, rounds, what, target });
}

type Whole = Pick<Result, 'what' | 'target'> & { way: Way; body: Buffer; rounds: number };

/** How long a request takes, and the processor time that goes to it: of the way itself, and of client and API together. */
async function measureWhole(
  { passThrough, apiPid }: Ways,
  { way, body, rounds, what, target }: Whole,
): Promise<Result[]> {
  const cpu = {
    way: { product: [] as number[], floor: [] as number[] },
    ends: { product: [] as number[], floor: [] as number[] },
  };
  const sample = async (side: 'product' | 'floor', { ask, pid }: Way): Promise<number> => {
    const look = async () => ({ way: await readThreadsCpuMs(pid), ends: await readEndsCpuMs(apiPid) });
    const before = await look();
    const { wholeMs } = await ask(body, 1);
    const after = await look();
    for (const part of ['way', 'ends'] as const) cpu[part][side].push(after[part] - before[part]);
    return wholeMs;
  };
  const samples = await interleave(
    { warm: WARM_ROUNDS, counted: rounds },
    { floor: () => sample('floor', passThrough), product: () => sample('product', way) },
  );
  const line = { unit: 'ms', floorIs: 'bare pass-through' } as const;
  const counted = (of: number[]): number[] => of.slice(-rounds);
  const compareCpu = (of: string, { product, floor }: { product: number[]; floor: number[] }): Result =>
    compare(
      { ...line, what: `the same, processor time of ${of}` },
      { product: counted(product), floor: counted(floor) },
    );
  return [
    compare({ ...line, what, target }, samples),
    compareCpu('the way', cpu.way),
    compareCpu('client and API', cpu.ends),
  ];
}

const readEndsCpuMs = async (apiPid: number): Promise<number> =>
  (await readThreadsCpuMs(process.pid)) + (await readThreadsCpuMs(apiPid));

async function measureStreams(ways: Ways, rounds: number): Promise<Result> {
  const body = makeConversation(SMALL_BYTES);
  const samples = await interleave(
    { warm: WARM_ROUNDS, counted: rounds },
    sidesOf(ways, async (way) => {
      const ask = (_: unknown, index: number) => way.ask(body, EVENTS, index);
      const { result, tookMs } = await time(() => Promise.all(Array.from({ length: STREAMS }, ask)));
      if (new Set(result.map(({ sizeBytes }) => sizeBytes)).size !== 1) throw new Error('A stream lost bytes.');
      return (STREAMS * 1_000) / tookMs;
    }),
  );
  const target = { of: 'ratio', atLeast: MIN_STREAM_RATIO } as const;
  const what = `${STREAMS} model streams of ${EVENTS} events at once`;
  return compare({ what, unit: 'per s', floorIs: 'bare pass-through', target }, samples);
}

/** How far the memory of the relay has risen when so many requests of 25 MB are open, for each of them. */
async function measureOpen({ relay }: Ways, rounds: number): Promise<Result> {
  const body = makeConversation(LARGE_BYTES);
  const samples: number[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const before = await readOwnBytes(relay.pid);
    const ends: (() => void)[] = [];
    for (let index = 0; index < OPEN_REQUESTS; index += 1) ends.push(await relay.hold(body, index));
    const risen = (await readOwnBytes(relay.pid)) - before;
    for (const end of ends) end();
    if (round >= 0) samples.push(Math.max(0, risen) / OPEN_REQUESTS / MEBIBYTE);
  }
  return {
    ...{ what: `memory of each of ${OPEN_REQUESTS} open requests of 25 MB to a model`, unit: 'MB' },
    product: summarise(samples),
    target: { of: 'product', atMost: MAX_OPEN_MB },
  };
}
