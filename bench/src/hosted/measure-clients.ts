import { hashOf, makeRandomBytes, streamRandomBytes } from '../inputs/random-bodies.ts';
import type { HttpClient } from '../product/http-client.ts';
import { createSession, parseAnswer, putFile, readUpload, waitUntilInspected } from '../product/product-calls.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, pause, time } from '../report/sample.ts';
import type { HostedBench } from './bench.ts';

const CLIENTS = 8;
const MIN_SHARE = 0.75;
const STREAMED_BYTES = 100_000_000;
const NOTICE_MS = 20;

type Series = { label: string; sizeBytes: number; filesPerClient: number; rounds: number; minOfLeast?: number };

const EIGHT_CLIENTS: readonly Series[] = [
  { label: '100 kB', sizeBytes: 100_000, filesPerClient: 12, rounds: 6, minOfLeast: 0.45 },
  { label: '1 MB', sizeBytes: 1_000_000, filesPerClient: 8, rounds: 6, minOfLeast: 0.65 },
  { label: '25 MB', sizeBytes: 25_000_000, filesPerClient: 1, rounds: 5 },
];

export type Round = { tookMs: number; answers: string[] };

/** All clients at once, each one file after the other; the bodies are made and checked outside the time. */
export async function uploadAtOnce(
  clients: readonly HttpClient[],
  sessionId: string,
  { sizeBytes, filesPerClient }: Pick<Series, 'sizeBytes' | 'filesPerClient'>,
): Promise<Round> {
  const isStreamed = sizeBytes >= STREAMED_BYTES;
  const makeBody = () => (isStreamed ? streamRandomBytes(sizeBytes) : makeRandomBytes(sizeBytes));
  const work = clients.map((client) => ({ client, bodies: Array.from({ length: filesPerClient }, makeBody) }));
  // Making bodies held up this process: connections that were closed meanwhile are noticed now, and not when they are used.
  await pause(NOTICE_MS);
  const answers: { bytes: ReturnType<typeof makeBody>; body: string }[] = [];
  const { tookMs } = await time(() =>
    Promise.all(
      work.map(async ({ client, bodies }) => {
        for (const bytes of bodies) {
          const file = { bytes, sizeBytes, mimeType: 'application/octet-stream', name: 'random.bin' };
          const { status, body } = await putFile(client, sessionId, file);
          if (status !== 201) throw new Error(`Expected 201, got ${status}: ${body}`);
          answers.push({ bytes, body });
        }
      }),
    ),
  );
  for (const { bytes, body } of answers) {
    if (bytes instanceof Uint8Array && !body.includes(hashOf(bytes))) {
      throw new Error('The answer to an upload names another digest.');
    }
  }
  return { tookMs, answers: answers.map(({ body }) => body) };
}

/** Waits until all of a round's uploads are inspected. */
export async function waitUntilAllInspected(client: HttpClient, answers: readonly string[]): Promise<void> {
  const ids = answers.map((body) => readUpload({ status: 201, body }).attachment.id);
  await waitUntilInspected(client, ...ids);
}

async function measureSeries(bench: HostedBench, series: Series): Promise<Result> {
  const { product, floors } = bench;
  const { session } = await createSession(product.client);
  const megabytes = (CLIENTS * series.filesPerClient * series.sizeBytes) / 1e6;
  const rateOf = ({ tookMs }: Round) => (megabytes / tookMs) * 1000;
  const samples = await interleave(
    { warm: 1, counted: bench.counted(series.rounds) },
    {
      async floor() {
        const round = await uploadAtOnce(floors.uploads.slice(0, CLIENTS), 'none', series);
        for (const body of round.answers) parseAnswer({ status: 201, body }, 201);
        await floors.waitUntilIdle();
        return rateOf(round);
      },
      async product() {
        const round = await uploadAtOnce(product.clients.slice(0, CLIENTS), session.id, series);
        await waitUntilAllInspected(product.client, round.answers);
        return rateOf(round);
      },
      async least() {
        return rateOf(await uploadAtOnce(floors.least.uploads.slice(0, CLIENTS), 'none', series));
      },
    },
  );
  const what = `uploads accepted, eight clients, ${series.label}`;
  const target = { of: 'ratio', atLeast: MIN_SHARE } as const;
  const leastTarget = series.minOfLeast === undefined ? undefined : { atLeast: series.minOfLeast };
  return compare({ what, unit: 'MB/s', target, leastTarget }, samples);
}

/** How much eight clients get accepted in a time; what happens behind the answers continues meanwhile, on both sides. */
export async function measureClients(bench: HostedBench): Promise<Result[]> {
  const results: Result[] = [];
  for (const series of EIGHT_CLIENTS) {
    bench.say(`  eight clients, ${series.label}`);
    results.push(await measureSeries(bench, series));
  }
  return results;
}
