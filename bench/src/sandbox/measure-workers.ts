import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareWorkerSandbox } from '@attache/agent-process';
import { createMediaPool, defaultMediaPoolOptions, type MediaPool } from '@attache/media';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import { makeNoisePng } from '@attache/test-harness';
import type { EmbeddedBench } from '../embedded/bench.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, time } from '../report/sample.ts';

const ROUNDS = 100;
const WARM_ROUNDS = 10;
const MAX_RATIO = 1.05;

/** What a sandbox costs an inspection by a warm worker: of a file that takes little time, and of one that takes more. */
export async function measureWorkers({ counted }: Pick<EmbeddedBench, 'counted'>): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'attache-bench-workers-'));
  try {
    await using boxed = await openBoxed(folder);
    await using bare = createMediaPool({ workers: 1 });
    const files = {
      'a PDF of 40 small pages': buildPdf(Array.from({ length: 40 }, (_, page) => [`Page ${page + 1}`])),
      'a picture of 1 MB': Buffer.from(makeNoisePng(1_000_000)),
    };
    const results: Result[] = [];
    for (const [name, bytes] of Object.entries(files))
      results.push(await measureFile({ boxed, bare }, { name, bytes, folder }, counted(ROUNDS)));
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openBoxed(folder: string): Promise<MediaPool> {
  const { workerPath } = defaultMediaPoolOptions;
  const prepared = await prepareWorkerSandbox([process.execPath, workerPath], [], process.env.PATH ?? '');
  if (prepared.status === 'unavailable') throw new Error(prepared.diagnostic);
  return createMediaPool({
    workers: 1,
    workerPath,
    sandbox: { ...prepared.sandbox, exchangeFolder: join(folder, 'exchange') },
  });
}

type File = { name: string; bytes: Buffer; folder: string };

async function measureFile(
  { boxed, bare }: Record<'boxed' | 'bare', MediaPool>,
  { name, bytes, folder }: File,
  rounds: number,
): Promise<Result> {
  const path = join(folder, 'file');
  await writeFile(path, bytes);
  const inspect = async (pool: MediaPool) => {
    const { result, tookMs } = await time(() => pool.inspect({ path, sizeBytes: bytes.length }));
    if (result.status !== 'ready') throw new Error(`The file was refused: ${result.failure.code}.`);
    return tookMs;
  };
  const samples = await interleave(
    { warm: WARM_ROUNDS, counted: rounds },
    { floor: () => inspect(bare), product: () => inspect(boxed) },
  );
  const what = `inspection of ${name} by a warm worker, in a sandbox`;
  return {
    ...compare({ what, unit: 'ms', floorIs: 'without one' }, samples),
    target: { of: 'ratio', atMost: MAX_RATIO },
  };
}
