import { hashOf, makeRandomBytes } from '../inputs/random-bodies.ts';
import type { HttpClient } from '../product/http-client.ts';
import { createSession, parseAnswer, putFile, readUpload, waitUntilInspected } from '../product/product-calls.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, time } from '../report/sample.ts';
import type { HostedBench } from './bench.ts';

const READERS = 8;
const RANGE_BYTES = 64 * 1024;

/** One file as both sides give it out. */
type Stored = { bytes: Uint8Array; sha256: string; product: string; floor: string };

async function storeOnBothSides({ product, floors }: HostedBench, sizeBytes: number): Promise<Stored> {
  const { session } = await createSession(product.client);
  const bytes = makeRandomBytes(sizeBytes);
  const file = { bytes, sizeBytes, mimeType: 'application/octet-stream', name: 'random.bin' };
  const { attachment, displayUrl } = readUpload(await putFile(product.client, session.id, file));
  await waitUntilInspected(product.client, attachment.id);
  const { id } = parseAnswer<{ id: string }>(await putFile(floors.upload, 'none', file), 201);
  await floors.waitUntilIdle();
  const told = await floors.download.send({ method: 'POST', path: `/?key=${id}` });
  const { path } = parseAnswer<{ path: string }>(told, 201);
  return { bytes, sha256: hashOf(bytes), product: displayUrl, floor: path };
}

async function readWhole(client: HttpClient, path: string, sha256: string): Promise<number> {
  const { result, tookMs } = await time(() => client.download({ method: 'GET', path }));
  if (result.status !== 200 || hashOf(result.bytes) !== sha256) throw new Error('A download brought something else.');
  return tookMs;
}

async function readRange(client: HttpClient, path: string, { bytes }: Stored, round: number): Promise<number> {
  const start = (round * 1_048_573 + 17) % (bytes.byteLength - RANGE_BYTES);
  const headers = { range: `bytes=${start}-${start + RANGE_BYTES - 1}` };
  const { result, tookMs } = await time(() => client.download({ method: 'GET', path, headers }));
  const isRight = result.status === 206 && result.bytes.equals(bytes.subarray(start, start + RANGE_BYTES));
  if (!isRight) throw new Error('A range brought something else.');
  return tookMs;
}

type Whole = { label: string; rounds: number; atMost: number };

async function measureWhole(bench: HostedBench, stored: Stored, { label, rounds, atMost }: Whole): Promise<Result> {
  const counted = bench.counted(rounds);
  const samples = await interleave(
    { warm: Math.min(5, counted), counted },
    {
      floor: () => readWhole(bench.floors.download, stored.floor, stored.sha256),
      product: () => readWhole(bench.product.client, stored.product, stored.sha256),
    },
  );
  return compare({ what: `signed download, ${label}`, unit: 'ms', target: { of: 'ratio', atMost } }, samples);
}

async function measureRange(bench: HostedBench, stored: Stored): Promise<Result> {
  const counted = bench.counted(60);
  const samples = await interleave(
    { warm: Math.min(5, counted), counted },
    {
      floor: (round) => readRange(bench.floors.download, stored.floor, stored, round + 5),
      product: (round) => readRange(bench.product.client, stored.product, stored, round + 5),
    },
  );
  const what = 'signed download, 64 kB out of 25 MB by Range';
  return compare({ what, unit: 'ms', target: { of: 'ratio', atMost: 1.5 } }, samples);
}

/** Readers of one file against readers of as many files: were one to wait for another, the first would be slower. */
async function measureReaders(bench: HostedBench): Promise<Result> {
  const { clients } = bench.product;
  const files: Stored[] = [];
  for (let count = 0; count < READERS; count += 1) files.push(await storeOnBothSides(bench, 1_000_000));
  const readAll = async (pick: (reader: number) => Stored | undefined) => {
    const { tookMs } = await time(() =>
      Promise.all(
        clients.slice(0, READERS).map(async (client, reader) => {
          const file = pick(reader);
          if (!file) throw new Error('There is no file for this reader.');
          for (let read = 0; read < 4; read += 1) await readWhole(client, file.product, file.sha256);
        }),
      ),
    );
    return tookMs;
  };
  const samples = await interleave(
    { warm: 1, counted: bench.counted(8) },
    { floor: () => readAll((reader) => files[reader]), product: () => readAll(() => files[0]) },
  );
  const what = 'eight readers of one file of 1 MB, four times each';
  return compare({ what, unit: 'ms', floorIs: 'of a file each' }, samples);
}

/** Downloads by signed URL through ingest. */
export async function measureDownloads(bench: HostedBench): Promise<Result[]> {
  bench.say('  signed downloads');
  const small = await storeOnBothSides(bench, 1_000_000);
  const large = await storeOnBothSides(bench, 25_000_000);
  return [
    await measureWhole(bench, small, { label: '1 MB', rounds: 60, atMost: 1.25 }),
    await measureWhole(bench, large, { label: '25 MB', rounds: 16, atMost: 1.3 }),
    await measureRange(bench, large),
    await measureReaders(bench),
  ];
}
