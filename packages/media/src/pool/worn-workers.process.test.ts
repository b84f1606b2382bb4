import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { countProcesses } from '../__fixtures__/processes.ts';
import { createTempFolder } from '../__fixtures__/temp-folder.ts';
import { createMediaPool, type MediaPool } from './media-pool.ts';
import { defaultMediaPoolOptions } from './media-pool-options.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const workerPath = fileURLToPath(new URL('../worker/__fixtures__/count.ts', import.meta.url));

describe('a worker that is worn', () => {
  it('is ended after its last job, and replaced when the next one comes', async () => {
    await using pool = createMediaPool({ workers: 1, jobsPerWorker: 2, workerPath });
    const counts: (number | undefined)[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) counts.push(await countJobs(pool, name));
    expect(counts).toEqual([1, 2, 1, 2, 1]);
    expect(countProcesses(workerPath)).toBeGreaterThan(0);
    await countJobs(pool, 'f');
    await expect.poll(() => countProcesses(workerPath), { interval: 5 }).toBe(0);
  });

  it('is ended when it holds too much memory after a job [S16]', async () => {
    await using pool = createMediaPool({ workers: 1, recycleBytes: 1, workerPath });
    expect([await countJobs(pool, 'a'), await countJobs(pool, 'b')]).toEqual([1, 1]);
  });

  it('is kept otherwise, one per core and four at most', async () => {
    const { workers, jobsPerWorker, recycleBytes, memoryBytes } = defaultMediaPoolOptions;
    expect(workers).toBe(Math.min(4, availableParallelism()));
    expect(jobsPerWorker).toBe(2_000);
    expect(recycleBytes).toBe(memoryBytes / 2);
    await using pool = createMediaPool({ workers: 1, workerPath });
    expect([await countJobs(pool, 'a'), await countJobs(pool, 'b'), await countJobs(pool, 'c')]).toEqual([1, 2, 3]);
  });

  async function countJobs(pool: MediaPool, name: string): Promise<number | undefined> {
    const path = folder.write(name, 'some text');
    const outcome = await pool.inspect({ path, sizeBytes: statSync(path).size });
    return outcome.status === 'ready' ? outcome.facts.pages : undefined;
  }
});
