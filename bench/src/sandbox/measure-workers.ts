import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxWorkers } from '@attache/agent-process';
import { createMediaPool, defaultMediaPoolOptions, type MediaPool } from '@attache/media';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import { makeNoisePng } from '@attache/test-harness';
import type { EmbeddedBench } from '../embedded/bench.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, time } from '../report/sample.ts';

const ROUNDS = 100;
const WARM_ROUNDS = 10;
const MAX_RATIO = 1.05;
// Nobody has it on a machine that measures.
const USER = { uid: 1_950_000_009, gid: 1_950_000_000 };

/**
 * The cost of a sandbox for an inspection by a warm worker: of a file that takes little time, and of one that takes more. If root measures, also
 * the cost of a user of its own, for which files are copied.
 */
export async function measureWorkers({ counted }: Pick<EmbeddedBench, 'counted'>): Promise<Result[]> {
  const folder = await mkdtemp(join(tmpdir(), 'attache-bench-workers-'));
  // So that a user of its own can pass.
  await chmod(folder, 0o711);
  try {
    await using bare = createMediaPool({ workers: 1 });
    await using boxed = await openBoxed(join(folder, 'boxed'));
    await using owned = await openBoxed(join(folder, 'owned'), USER);
    const files = {
      'a PDF of 40 small pages': buildPdf(Array.from({ length: 40 }, (_, page) => [`Page ${page + 1}`])),
      'a picture of 1 MB': Buffer.from(makeNoisePng(1_000_000)),
    };
    const results: Result[] = [];
    for (const [name, bytes] of Object.entries(files))
      results.push(...(await measureFile({ bare, boxed, owned }, { name, bytes, folder }, counted(ROUNDS))));
    return results;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function openBoxed(exchangeFolder: string, user?: typeof USER): Promise<MediaPool> {
  const { workerPath } = defaultMediaPoolOptions;
  const isGiven = user !== undefined && process.getuid?.() === 0;
  const place = { workerPath, exchangeFolder, privateFolders: [], searchPath: process.env.PATH ?? '' };
  const sandbox = await sandboxWorkers({ ...place, user: isGiven ? user : undefined }, (notice, diagnostic) => {
    throw new Error(`${notice}: ${diagnostic}`);
  });
  return createMediaPool({ workers: 1, workerPath, sandbox });
}

type File = { name: string; bytes: Buffer; folder: string };

async function measureFile(
  { bare, boxed, owned }: Record<'bare' | 'boxed' | 'owned', MediaPool>,
  { name, bytes, folder }: File,
  rounds: number,
): Promise<Result[]> {
  const path = join(folder, 'file');
  await writeFile(path, bytes);
  const inspect = async (pool: MediaPool) => {
    const { result, tookMs } = await time(() => pool.inspect({ path, sizeBytes: bytes.length }));
    if (result.status !== 'ready') throw new Error(`The file was refused: ${result.failure.code}.`);
    return tookMs;
  };
  const samples = await interleave(
    { warm: WARM_ROUNDS, counted: rounds },
    { bare: () => inspect(bare), boxed: () => inspect(boxed), owned: () => inspect(owned) },
  );
  const what = `inspection of ${name} by a warm worker, in a sandbox`;
  const line = { unit: 'ms', floorIs: 'without one' } as const;
  const inSandbox = compare({ ...line, what }, { floor: samples.bare, product: samples.boxed });
  const asUser = compare(
    { ...line, what: `${what}, with a user of its own` },
    { floor: samples.bare, product: samples.owned },
  );
  const target = { of: 'ratio', atMost: MAX_RATIO } as const;
  return [{ ...inSandbox, target }, ...(process.getuid?.() === 0 ? [asUser] : [])];
}
