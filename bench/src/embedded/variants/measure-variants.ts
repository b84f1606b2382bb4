import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listDescendants } from '@attache/infra/native/processes/process-table';
import { createMediaPool, defaultMediaPoolOptions, type MediaPool } from '@attache/media';
import { drawPhoto } from '../../inputs/draw-pictures.ts';
import { watchPeak } from '../../processes/process-cost.ts';
import { compare, type Result } from '../../report/result.ts';
import { interleave, type Sides, summarise, time } from '../../report/sample.ts';
import type { EmbeddedBench } from '../bench.ts';
import { startBareMakers } from './bare-makers.ts';

const ROUNDS = 10;
const WARM_ROUNDS = 2;
const JOBS_PER_WORKER = 8;
const MEBIBYTE = 1024 * 1024;
const MIN_RATIO = 0.9;
const MAX_WORKER_MB = 512;

/** As a plan writes it for a model that looks at no more pixels. */
const recipe = { purpose: 'inline-image', mimeType: 'image/jpeg', maxEdgePixels: 1_568, maxBytes: 3_538_944 } as const;
const facts = { width: 4_000, height: 3_000, animated: false, hasAlpha: false };

type Round = { outputs: readonly string[]; digests: Set<string> };

/** Variants per second of a round, whose outputs are new. */
async function timeRound({ outputs, digests }: Round, make: () => Promise<string[]>): Promise<number> {
  const { result, tookMs } = await time(make);
  for (const digest of result) digests.add(digest);
  await Promise.all(outputs.map((output) => rm(output)));
  return (outputs.length * 1_000) / tookMs;
}

async function makeInPool(media: MediaPool, path: string, outputPath: string): Promise<string> {
  const outcome = await media.makeVariant({ path, outputPath, mimeType: 'image/jpeg', facts, recipe });
  if (outcome.status === 'failed') throw new Error(`The pool made nothing: ${outcome.failure.diagnostic}`);
  return outcome.sha256;
}

async function compareRates(folder: string, workers: number, { counted }: EmbeddedBench): Promise<Result[]> {
  const path = join(folder, 'photo.jpg');
  await writeFile(path, await drawPhoto(facts.width, facts.height));
  await using bare = startBareMakers(workers);
  const others = await listDescendants(process.pid);
  await using media = createMediaPool({ workers });
  const outputs = Array.from({ length: workers * JOBS_PER_WORKER }, (_, index) => join(folder, `variant-${index}.jpg`));
  const digests = new Set<string>();
  const { maxEdgePixels, maxBytes } = recipe;
  const makeBare = () => bare.makeAll(outputs.map((outputPath) => ({ path, outputPath, maxEdgePixels, maxBytes })));
  const makeProduct = () => Promise.all(outputs.map((outputPath) => makeInPool(media, path, outputPath)));
  const rates = await interleave(
    { warm: WARM_ROUNDS, counted: counted(ROUNDS) },
    {
      floor: () => timeRound({ outputs, digests }, makeBare),
      product: () => timeRound({ outputs, digests }, makeProduct),
    },
  );
  const peakBytes = await watchPeak(others, () => timeRound({ outputs, digests }, makeProduct));
  if (digests.size !== 1) throw new Error(`${digests.size} different variants were made of one picture.`);
  return [describeRates(rates, workers), describePeak(peakBytes)];
}

function describeRates(rates: Sides<number[]>, workers: number): Result {
  const what = `variants of 12 megapixels at 1568 px, ${workers} workers`;
  const floorIs = `sharp in ${workers} plain processes`;
  return compare({ what, unit: 'per s', floorIs, target: { of: 'ratio', atLeast: MIN_RATIO } }, rates);
}

function describePeak(peakBytes: number): Result {
  return {
    what: 'peak of the resident memory of the largest of these workers',
    unit: 'MB',
    product: summarise([peakBytes / MEBIBYTE]),
    target: { of: 'product', atMost: MAX_WORKER_MB },
  };
}

/** How fast the pool makes variants, one job for each processor, and what its workers hold; in this process, without the stack. */
export async function measureVariants(bench: EmbeddedBench): Promise<Result[]> {
  bench.say('  variants');
  const folder = await mkdtemp(join(tmpdir(), 'attache-variants-'));
  try {
    return await compareRates(folder, defaultMediaPoolOptions.workers, bench);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
