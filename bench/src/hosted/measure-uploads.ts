import { hashOf, makeRandomBytes, streamRandomBytes } from '../inputs/random-bodies.ts';
import type { HttpClient } from '../product/http-client.ts';
import {
  createSession,
  type FileBody,
  parseAnswer,
  postForm,
  putFile,
  readUpload,
  waitUntilInspected,
} from '../product/product-calls.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, time } from '../report/sample.ts';
import type { HostedBench } from './bench.ts';

type Series = { label: string; sizeBytes: number; rounds: number; maxRatio: number; maxOfLeast?: number };

const ONE_CLIENT: readonly Series[] = [
  { label: '100 kB', sizeBytes: 100_000, rounds: 60, maxRatio: 1.5, maxOfLeast: 3 },
  { label: '1 MB', sizeBytes: 1_000_000, rounds: 50, maxRatio: 1.35, maxOfLeast: 1.7 },
  { label: '25 MB', sizeBytes: 25_000_000, rounds: 16, maxRatio: 1.3 },
  { label: '200 MB', sizeBytes: 200_000_000, rounds: 5, maxRatio: 1.3 },
];
const FORMS: readonly Omit<Series, 'maxRatio' | 'maxOfLeast'>[] = [
  { label: '1 MB', sizeBytes: 1_000_000, rounds: 20 },
  { label: '25 MB', sizeBytes: 25_000_000, rounds: 8 },
];
// From here on the body is made while it is sent.
const STREAMED_BYTES = 100_000_000;

const describeFile = (sizeBytes: number) => ({ sizeBytes, mimeType: 'application/octet-stream', name: 'random.bin' });

type Sent = { answer: { status: number; body: string }; tookMs: number; sha256: string | undefined };

async function send(client: HttpClient, sessionId: string, sizeBytes: number, isForm = false): Promise<Sent> {
  const file = describeFile(sizeBytes);
  if (sizeBytes >= STREAMED_BYTES) {
    const { result, tookMs } = await time(() =>
      putFile(client, sessionId, { ...file, bytes: streamRandomBytes(sizeBytes) }),
    );
    return { answer: result, tookMs, sha256: undefined };
  }
  const bytes = makeRandomBytes(sizeBytes);
  const body: FileBody & { bytes: Uint8Array } = { ...file, bytes };
  const { result, tookMs } = await time(() => (isForm ? postForm : putFile)(client, sessionId, body));
  return { answer: result, tookMs, sha256: hashOf(bytes) };
}

function expectDigest(expected: string | undefined, got: string): void {
  if (expected !== undefined && expected !== got) throw new Error('The answer to an upload names another digest.');
}

/** One upload to the product until its 201; then it comes to rest. */
async function uploadOnce({ product }: HostedBench, sessionId: string, sizeBytes: number, isForm?: boolean) {
  const { answer, tookMs, sha256 } = await send(product.client, sessionId, sizeBytes, isForm);
  const { attachment } = readUpload(answer);
  expectDigest(sha256, attachment.sha256);
  await waitUntilInspected(product.client, attachment.id);
  return tookMs;
}

/** The same upload to a floor; then both floors are at rest. */
async function relayOnce({ floors }: HostedBench, client: HttpClient | undefined, sizeBytes: number): Promise<number> {
  if (!client) throw new Error('There is no connection.');
  const { answer, tookMs, sha256 } = await send(client, 'none', sizeBytes);
  expectDigest(sha256, parseAnswer<{ sha256: string }>(answer, 201).sha256);
  await floors.waitUntilIdle();
  return tookMs;
}

async function measureSeries(bench: HostedBench, series: Omit<Series, 'maxRatio' | 'maxOfLeast'>, isForm = false) {
  const { session } = await createSession(bench.product.client);
  const counted = bench.counted(series.rounds);
  return interleave(
    { warm: Math.min(3, Math.ceil(counted / 2)), counted },
    {
      floor: () => relayOnce(bench, bench.floors.upload, series.sizeBytes),
      product: () => uploadOnce(bench, session.id, series.sizeBytes, isForm),
      least: () => relayOnce(bench, bench.floors.least.uploads[0], series.sizeBytes),
    },
  );
}

/** Upload accepted, one client, one request at a time: raw PUT of known length against a bare relay, and the same as a form. */
export async function measureUploads(bench: HostedBench): Promise<Result[]> {
  const results: Result[] = [];
  for (const series of ONE_CLIENT) {
    bench.say(`  raw PUT, ${series.label}`);
    const { label, maxRatio, maxOfLeast } = series;
    const target = { of: 'ratio', atMost: maxRatio } as const;
    const leastTarget = maxOfLeast === undefined ? undefined : { atMost: maxOfLeast };
    const samples = await measureSeries(bench, series);
    results.push(compare({ what: `upload accepted, raw PUT, ${label}`, unit: 'ms', target, leastTarget }, samples));
  }
  for (const series of FORMS) {
    bench.say(`  form, ${series.label}`);
    const samples = await measureSeries(bench, series, true);
    results.push(compare({ what: `upload accepted, form, ${series.label}`, unit: 'ms', floorIs: 'raw PUT' }, samples));
  }
  return results;
}
