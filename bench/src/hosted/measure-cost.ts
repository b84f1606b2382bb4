import { makeRandomBytes, streamRandomBytes } from '../inputs/random-bodies.ts';
import { measureRise, readCpuSeconds } from '../processes/process-cost.ts';
import { createSession, putFile, readUpload, waitUntilInspected } from '../product/product-calls.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, type Sides, summarise } from '../report/sample.ts';
import type { HostedBench } from './bench.ts';
import { uploadAtOnce, waitUntilAllInspected } from './measure-clients.ts';
import { measurePictures } from './steps/measure-pictures.ts';

const LARGE_BYTES = 200_000_000;
const SMALL_BYTES = 100_000;
const WARMING_BYTES = 25_000_000;
const MEBIBYTE = 1024 * 1024;
const FILE = { mimeType: 'application/octet-stream', name: 'random.bin' };

type Load = { sizeBytes: number; fileCount: number };

/** Processor time, in seconds, of the three services and their children for files one after the other, until all are `ready`. */
async function measureProduct(
  { product }: HostedBench,
  sessionId: string,
  { sizeBytes, fileCount }: Load,
): Promise<number> {
  const { client, pids } = product;
  const before = await readCpuSeconds(pids());
  const ids: string[] = [];
  for (let sent = 0; sent < fileCount; sent += 1) {
    const answer = await putFile(client, sessionId, { ...FILE, sizeBytes, bytes: makeRandomBytes(sizeBytes) });
    ids.push(readUpload(answer).attachment.id);
  }
  // In the order in which they came; four are in work at once.
  await waitUntilInspected(client, ...ids.slice(-4));
  return (await readCpuSeconds(pids())) - before;
}

/** The same of files that eight clients send at once. */
async function measureEight({ product, counted }: HostedBench): Promise<number[]> {
  const { session } = await createSession(product.client);
  const [clients, filesPerClient] = [product.clients.slice(0, 8), counted(40)];
  const seconds: number[] = [];
  for (let round = -1; round < counted(3); round += 1) {
    const before = await readCpuSeconds(product.pids());
    const { answers } = await uploadAtOnce(clients, session.id, { sizeBytes: SMALL_BYTES, filesPerClient });
    await waitUntilAllInspected(product.client, answers);
    const spent = (await readCpuSeconds(product.pids())) - before;
    // The first round warms.
    if (round >= 0) seconds.push((spent * 1000) / answers.length);
  }
  return seconds;
}

async function measureFloor({ floors }: HostedBench, { sizeBytes, fileCount }: Load): Promise<number> {
  const before = await readCpuSeconds(floors.uploadPids);
  for (let sent = 0; sent < fileCount; sent += 1) {
    const { status } = await putFile(floors.upload, 'none', { ...FILE, sizeBytes, bytes: makeRandomBytes(sizeBytes) });
    if (status !== 201) throw new Error(`The floor answered ${status}.`);
  }
  await floors.waitUntilIdle();
  return (await readCpuSeconds(floors.uploadPids)) - before;
}

async function measureLoad(bench: HostedBench, load: Load, perUnit: number): Promise<Sides<number[]>> {
  const { session } = await createSession(bench.product.client);
  return interleave(
    { warm: 1, counted: bench.counted(3) },
    {
      floor: async () => (await measureFloor(bench, load)) / perUnit,
      product: async () => (await measureProduct(bench, session.id, load)) / perUnit,
    },
  );
}

/** The cost of uploads for our own processes, with the cost of the floors. */
export async function measureCpuCost(bench: HostedBench): Promise<Result[]> {
  const large: Load = { sizeBytes: 25_000_000, fileCount: bench.counted(16) };
  const small: Load = { sizeBytes: SMALL_BYTES, fileCount: bench.counted(300) };
  bench.say('  processor time, files of 25 MB');
  const perGigabyte = await measureLoad(bench, large, (large.fileCount * large.sizeBytes) / 1e9);
  bench.say('  processor time, files of 100 kB');
  const perThousand = await measureLoad(bench, small, small.fileCount / 1000);
  bench.say('  processor time, files of 100 kB from eight clients, and pictures');
  const pictures = await measurePictures(bench);
  const row = (what: string, atMost?: number): Pick<Result, 'what' | 'unit' | 'target'> => ({
    ...{ what: `processor time of our processes per ${what}`, unit: 's' },
    target: atMost === undefined ? undefined : { of: 'product', atMost },
  });
  return [
    compare(row('GB, files of 25 MB', 2), perGigabyte),
    compare(row('1,000 files of 100 kB', 2.5), perThousand),
    compare(row('1,000 files of 100 kB, eight clients', 3), { product: await measureEight(bench) }),
    ...pictures,
  ];
}

/** How far the own memory of our processes rises, from an upload's start until all is `ready`; smaller or single ones have warmed them. */
export async function measureMemory(bench: HostedBench): Promise<Result[]> {
  const { client, clients, pids } = bench.product;
  const { session } = await createSession(client);
  const uploadOne = async () => {
    const file = { ...FILE, sizeBytes: LARGE_BYTES, bytes: streamRandomBytes(LARGE_BYTES) };
    const answer = await putFile(client, session.id, file);
    await waitUntilInspected(client, readUpload(answer).attachment.id);
  };
  const uploadEight = async (sizeBytes: number) => {
    const round = await uploadAtOnce(clients.slice(0, 8), session.id, { sizeBytes, filesPerClient: 1 });
    await waitUntilAllInspected(client, round.answers);
  };
  const riseOf = async (rounds: number, work: () => Promise<void>) => {
    const rises: number[] = [];
    for (let round = 0; round < rounds; round += 1) rises.push((await measureRise(pids(), work)) / MEBIBYTE);
    return rises;
  };
  bench.say('  memory, one upload of 200 MB');
  await uploadOne();
  const one = await riseOf(bench.counted(3), uploadOne);
  bench.say('  memory, eight uploads of 200 MB');
  await uploadEight(WARMING_BYTES);
  const eight = await riseOf(bench.counted(3) - 1, () => uploadEight(LARGE_BYTES));
  return [describeRise('one upload', one, 32), describeRise('eight uploads', eight, 64)];
}

function describeRise(load: string, rises: readonly number[], atMost: number): Result {
  const what = `rise of the memory of our processes, ${load} of 200 MB`;
  return { what, unit: 'MB', product: summarise(rises), target: { of: 'product', atMost } };
}
