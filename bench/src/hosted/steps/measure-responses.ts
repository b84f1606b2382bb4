import { randomUUID } from 'node:crypto';
import { hashOf } from '../../inputs/random-bodies.ts';
import { followSteps } from '../../product/follow-events.ts';
import { type FileBody, parseAnswer, postJson, putFile } from '../../product/product-calls.ts';
import type { Least } from '../../product/start-least.ts';
import { compare, type Result } from '../../report/result.ts';
import { interleave, pause, time } from '../../report/sample.ts';
import type { HostedBench } from '../bench.ts';
import { AGENTS, IN_FLIGHT, type Load, listLoads, openPlace } from './deliver-files.ts';

const REST_MS = 10;

type File = FileBody & { bytes: Uint8Array };

/** A way to bring a new file to an agent, from its upload to the end of the turn. Resolves to the digest that the upload answered. */
type Way = { deliver(file: File, worker: number): Promise<string>; stop(): void };

async function openProductWay({ product }: HostedBench): Promise<Way> {
  const place = await openPlace(product.clients);
  return {
    deliver: async (file, worker) => (await place.deliver(file, worker)).sha256,
    stop: () => place.stop(),
  };
}

/** One PUT and one commit for the file; a commit when its message is accepted, one before its first byte and one at the end. */
async function openLeastWay({ uploads, deliveries }: Least): Promise<Way> {
  const sessionId = randomUUID();
  const connect = (worker: number) => {
    const [upload, delivery] = [uploads[worker], deliveries[worker]];
    if (!upload || !delivery) throw new Error(`There is no connection ${worker}.`);
    return { upload, delivery };
  };
  const followed = await followSteps(connect(0).delivery, sessionId);
  return {
    async deliver(file, worker) {
      const { upload, delivery } = connect(worker);
      const stored = parseAnswer<{ id: string; sha256: string }>(await putFile(upload, 'none', file), 201);
      const draft = { sessionId, agentId: `${sessionId}-${worker % AGENTS}`, attachmentId: stored.id };
      const { id } = parseAnswer<{ id: string }>(await postJson(delivery, '/', draft), 202);
      await followed.arrival('responded', id);
      return stored.sha256;
    },
    stop: followed.stop,
  };
}

type Done = { file: File; sha256: string };

function expectDigests(done: readonly Done[]): void {
  for (const { file, sha256 } of done) {
    if (hashOf(file.bytes) !== sha256) throw new Error('The answer to an upload names another digest.');
  }
}

/** One file; its time in milliseconds. */
async function deliverOne(way: Way, load: Load): Promise<number> {
  const file = await load.drawFile();
  const { result: sha256, tookMs } = await time(() => way.deliver(file, 0));
  expectDigests([{ file, sha256 }]);
  await pause(REST_MS);
  return tookMs;
}

/** Files that sixteen workers bring to four agents; how many per second have been answered. They are drawn and checked outside the time. */
async function deliverMany(way: Way, load: Load, count: number): Promise<number> {
  const files = await Promise.all(Array.from({ length: count }, load.drawFile));
  const waiting = files.values();
  const done: Done[] = [];
  const work = async (_: unknown, worker: number) => {
    for (const file of waiting) done.push({ file, sha256: await way.deliver(file, worker) });
  };
  const { tookMs } = await time(() => Promise.all(Array.from({ length: IN_FLIGHT }, work)));
  expectDigests(done);
  return (count / tookMs) * 1000;
}

type Rounds = { warm: number; counted: number };

async function measureWays(bench: HostedBench, load: Load, rounds: Rounds, deliver: (way: Way) => Promise<number>) {
  await using stack = new AsyncDisposableStack();
  const ways = { product: await openProductWay(bench), least: await openLeastWay(bench.floors.least) };
  for (const way of Object.values(ways)) stack.defer(() => way.stop());
  for (const way of Object.values(ways)) {
    // An agent starts with its first message.
    for (let agent = 0; agent < AGENTS; agent += 1) await way.deliver(await load.drawFile(), agent);
  }
  return await interleave(rounds, {
    product: () => deliver(ways.product),
    least: () => deliver(ways.least),
  });
}

type Size = { label: string; sizeBytes: number; maxOfLeast: number; minRateOfLeast: number };

const SIZES: readonly Size[] = [
  { label: '100 kB', sizeBytes: 100_000, maxOfLeast: 2.5, minRateOfLeast: 0.35 },
  { label: '1 MB', sizeBytes: 1_000_000, maxOfLeast: 2, minRateOfLeast: 0.4 },
];

async function measureOneByOne(bench: HostedBench, load: Load, { label, maxOfLeast }: Size): Promise<Result> {
  const what = `upload of a ${load.name} of ${label} to responded`;
  bench.say(`  ${what}`);
  const counted = bench.counted(60);
  const samples = await measureWays(bench, load, { warm: Math.min(20, counted), counted }, (way) =>
    deliverOne(way, load),
  );
  return compare({ what, unit: 'ms', leastTarget: { atMost: maxOfLeast } }, samples);
}

async function measureAtOnce(bench: HostedBench, load: Load, { label, minRateOfLeast }: Size): Promise<Result> {
  const what = `uploads of a ${load.name} of ${label} responded, sixteen in flight over four agents`;
  bench.say(`  ${what}`);
  const count = Math.max(2 * IN_FLIGHT, bench.counted(96));
  const samples = await measureWays(bench, load, { warm: 2, counted: bench.counted(6) }, (way) =>
    deliverMany(way, load, count),
  );
  return compare({ what, unit: 'per s', leastTarget: { atLeast: minRateOfLeast } }, samples);
}

/** The whole way of a file, from its upload until a follower sees the answer, against the least durable. A text is ready with its 201, a sound is inspected. */
export async function measureResponses(bench: HostedBench): Promise<Result[]> {
  const results: Result[] = [];
  for (const size of SIZES) {
    for (const load of listLoads(size.sizeBytes)) {
      results.push(await measureOneByOne(bench, load, size), await measureAtOnce(bench, load, size));
    }
  }
  return results;
}
