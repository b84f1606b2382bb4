import { makeRandomBytes } from '../inputs/random-bodies.ts';
import type { HttpClient } from '../product/http-client.ts';
import { createSession, type FileBody, putFile, readUpload, waitUntilInspected } from '../product/product-calls.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, time } from '../report/sample.ts';
import type { EmbeddedBench } from './bench.ts';

type UploadSeries = { label: string; sizeBytes: number; rounds: number; maxRatio: number };

const SERIES: readonly UploadSeries[] = [
  { label: '100 kB', sizeBytes: 100_000, rounds: 100, maxRatio: 3 },
  { label: '1 MB', sizeBytes: 1_000_000, rounds: 60, maxRatio: 1.8 },
  { label: '25 MB', sizeBytes: 25_000_000, rounds: 16, maxRatio: 1.25 },
];

/** To a program that looks at no path. */
async function putOnce(client: HttpClient | undefined, file: FileBody): Promise<number> {
  if (!client) throw new Error('There is no connection.');
  const { result, tookMs } = await time(() => putFile(client, 'none', file));
  if (result.status !== 201) throw new Error(`The bare program answered ${result.status}.`);
  return tookMs;
}

async function measureSeries({ product, bare, least, counted }: EmbeddedBench, series: UploadSeries): Promise<Result> {
  const { label, sizeBytes, rounds, maxRatio } = series;
  const { session } = await createSession(product.client);
  const makeFile = () => ({
    bytes: makeRandomBytes(sizeBytes),
    sizeBytes,
    mimeType: 'application/octet-stream',
    name: 'random.bin',
  });
  const samples = await interleave(
    { warm: 2, counted: counted(rounds) },
    {
      floor: () => putOnce(bare.client, makeFile()),
      least: () => putOnce(least.uploads[0], makeFile()),
      async product() {
        const file = makeFile();
        const { result, tookMs } = await time(() => putFile(product.client, session.id, file));
        await waitUntilInspected(product.client, readUpload(result).attachment.id);
        return tookMs;
      },
    },
  );
  return compare({ what: `upload accepted, ${label}`, unit: 'ms', target: { of: 'ratio', atMost: maxRatio } }, samples);
}

/** Upload accepted by raw PUT, one request at a time, against the bare program, on random bytes. */
export async function measureUploads(bench: EmbeddedBench): Promise<Result[]> {
  const results: Result[] = [];
  for (const series of SERIES) {
    bench.say(`  uploads of ${series.label}`);
    results.push(await measureSeries(bench, series));
  }
  return results;
}
