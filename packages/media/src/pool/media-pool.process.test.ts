import { existsSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { mediaWorker } from '../../../../tests/harness/src/stack/program.ts';
import { buildPdfWithEndlessPage } from '../__fixtures__/gapped-pdfs.ts';
import { buildPngHeader, drawPattern } from '../__fixtures__/images.ts';
import { countProcesses, findChildren, isRunning } from '../__fixtures__/processes.ts';
import { createTempFolder } from '../__fixtures__/temp-folder.ts';
import { createMediaPool, type MediaPool } from './media-pool.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const fixture = (name: string) => fileURLToPath(new URL(`../worker/__fixtures__/${name}.ts`, import.meta.url));

function inspect(pool: MediaPool, name: string, content: string | Uint8Array = 'some text') {
  const path = folder.write(name, content);
  return pool.inspect({ path, sizeBytes: statSync(path).size });
}

describe('a pool with real workers', () => {
  it('inspects files and makes variants of them, one after the other and side by side [SR-14]', async () => {
    await using pool = createMediaPool({ workers: 2, workerPath: mediaWorker });
    const png = await drawPattern({ width: 60, height: 40 }).png().toBuffer();
    const [image, text, bomb] = await Promise.all([
      inspect(pool, 'image', png),
      inspect(pool, 'text'),
      inspect(pool, 'bomb', buildPngHeader({ width: 50_000, height: 50_000 })),
    ]);
    expect(image).toMatchObject({ status: 'ready', kind: 'image', mimeType: 'image/png', facts: { width: 60 } });
    expect(text).toMatchObject({ status: 'ready', kind: 'text', mimeType: 'text/plain' });
    expect(bomb).toMatchObject({
      status: 'rejected',
      kind: 'image',
      failure: { code: 'attachment_pixels_exceeded', severity: 'error', retryable: false },
    });
    const job = { path: folder.pathOf('image'), mimeType: 'image/png', facts: {} };
    const recipe = { purpose: 'preview', maxEdgePixels: 32 } as const;
    const outputPath = folder.pathOf('preview');
    expect(await pool.makeVariant({ ...job, outputPath, recipe })).toMatchObject({ status: 'made', width: 32 });
    expect(statSync(outputPath).mode & 0o777).toBe(0o600);
    await expect(pool.makeVariant({ ...job, outputPath, recipe })).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(statSync(outputPath).size).toBeGreaterThan(0);
    const failed = folder.pathOf('failed');
    const outcome = await pool.makeVariant({ ...job, mimeType: 'audio/wav', outputPath: failed, recipe });
    expect(outcome).toMatchObject({ status: 'failed', failure: { code: 'attachment_type_unsupported' } });
    expect(existsSync(failed)).toBe(false);
  });

  it('blames no file that is missing, empty or of another size', async () => {
    await using pool = createMediaPool();
    const fault = { name: 'Fault', code: 'INTERNAL' };
    await expect(pool.inspect({ path: folder.pathOf('nowhere'), sizeBytes: 1 })).rejects.toMatchObject(fault);
    await expect(inspect(pool, 'empty', '')).rejects.toMatchObject(fault);
    const path = folder.write('half', 'half');
    await expect(pool.inspect({ path, sizeBytes: 8 })).rejects.toMatchObject(fault);
  });

  it('says that a worker cannot be started, and blames no file for it', async () => {
    await using pool = createMediaPool({ workerPath: folder.pathOf('no-program.ts') });
    await expect(inspect(pool, 'text')).rejects.toMatchObject({ code: 'MEDIA_WORKER_FAILED', retryable: true });
  });

  it.each([
    'workers',
    'memoryBytes',
    'jobsPerWorker',
    'recycleBytes',
    'processorTimeMs',
    'pageProcessorTimeMs',
    'wallTimeMs',
    'hangTimeMs',
    'maxPixels',
  ])('refuses %s that is no positive number', (name) => {
    expect(() => createMediaPool({ [name]: 0 })).toThrow(expect.objectContaining({ code: 'CONFIGURATION_INVALID' }));
  });
});

describe('a worker that never comes back', () => {
  const workerPath = fixture('spin');
  const pool = createMediaPool({ workers: 1, processorTimeMs: 1_500, workerPath });

  it('is killed; its file is too costly after one attempt, and the next one served [S17 A25 BX-27]', async () => {
    const [spun, served] = await Promise.all([inspect(pool, 'spin'), inspect(pool, 'next')]);
    expect(spun).toMatchObject({
      status: 'rejected',
      mimeType: 'text/plain',
      kind: 'text',
      failure: {
        code: 'attachment_inspection_too_costly',
        retryable: false,
        safeDetails: { cause: 'processor-time', attempts: 1 },
      },
    });
    expect(JSON.stringify(spun)).not.toContain(folder.pathOf(''));
    expect(served).toMatchObject({ status: 'ready', kind: 'text' });
  });

  it('is killed when its job is given up [DL-81]', async () => {
    const giveUp = new AbortController();
    rmSync(folder.pathOf('spin.begun'));
    const job = pool.inspect({ path: folder.write('spin', 'x'), sizeBytes: 1, signal: giveUp.signal });
    const rejection = expect(job).rejects.toThrow('attachment removed');
    await expect.poll(() => existsSync(folder.pathOf('spin.begun')), { interval: 5 }).toBe(true);
    giveUp.abort(new Error('attachment removed'));
    await rejection;
    await expect.poll(() => countProcesses(workerPath), { interval: 5 }).toBe(0);
  });

  it('is killed when the pool ends, which leaves no process behind and takes no more jobs', async () => {
    const running = inspect(pool, 'spin');
    await expect.poll(() => countProcesses(workerPath), { interval: 5 }).toBeGreaterThan(0);
    const fault = { code: 'SHUTTING_DOWN', retryable: true };
    await Promise.all([pool[Symbol.asyncDispose](), expect(running).rejects.toMatchObject(fault)]);
    await expect.poll(() => countProcesses(workerPath), { interval: 5 }).toBe(0);
    await expect(inspect(pool, 'late')).rejects.toMatchObject(fault);
  });
});

it('ends a worker that does nothing, and blames no file for it [S17 BX-27]', async () => {
  const workerPath = fixture('halt');
  await using pool = createMediaPool({ workers: 1, hangTimeMs: 1_500, workerPath });
  const inspecting = inspect(pool, 'halt');
  const [worker = 0] = await vi.waitUntil(() => findChildren().length > 0 && findChildren(), {
    timeout: 60_000,
    interval: 10,
  });
  await expect(inspecting).rejects.toMatchObject({ code: 'MEDIA_WORKER_FAILED', retryable: true });
  await expect.poll(() => isRunning(String(worker)), { interval: 5 }).toBe(false);
});

it('gives a page of a document that is never finished one attempt, and the next page is drawn [S17 BX-29]', async () => {
  await using pool = createMediaPool({ workers: 1, pageProcessorTimeMs: 4_000 });
  const path = folder.write('endless.pdf', buildPdfWithEndlessPage());
  const draw = (page: number) => {
    const recipe = {
      purpose: 'page-image',
      page,
      mimeType: 'image/png',
      maxEdgePixels: 300,
      maxBytes: 900_000,
    } as const;
    return pool.makeVariant({ path, outputPath: `${path}-${page}`, mimeType: 'application/pdf', facts: {}, recipe });
  };
  expect(await draw(2)).toMatchObject({
    status: 'failed',
    failure: {
      code: 'attachment_page_unreadable',
      retryable: false,
      safeDetails: { cause: 'processor-time', attempts: 1 },
    },
  });
  expect(await draw(3)).toMatchObject({ status: 'made', page: 3, warnings: [] });
});

it('inspects for another tenant while one holds all workers and has more waiting [BX-27]', async () => {
  await using pool = createMediaPool({ workers: 1, workerPath: fixture('spin'), processorTimeMs: 600_000 });
  const giveUp = new AbortController();
  const spinning = Array.from({ length: 20 }, () =>
    pool.inspect({ tenantId: 'a', path: folder.write('spin', 'x'), sizeBytes: 1, signal: giveUp.signal }),
  );
  const ended = Promise.allSettled(spinning);
  const path = folder.write('file', 'some text');
  expect(await pool.inspect({ tenantId: 'b', path, sizeBytes: 9 })).toMatchObject({ status: 'ready', kind: 'text' });
  giveUp.abort(new Error('enough'));
  for (const { status } of await ended) expect(status).toBe('rejected');
});

it('kills a worker that takes too much memory [S16 S17]', async () => {
  const memoryBytes = 128 * 1024 * 1024;
  await using pool = createMediaPool({ workers: 1, memoryBytes, workerPath: fixture('allocate') });
  const failure = { code: 'attachment_corrupt', safeDetails: { cause: 'memory' } };
  expect(await inspect(pool, 'allocate')).toMatchObject({ status: 'rejected', failure });
});

it('tries again once on a fresh worker, and leaves nothing of a failed variant behind [S17 A26]', async () => {
  await using pool = createMediaPool({ workers: 1, workerPath: fixture('crash') });
  expect(await inspect(pool, 'crash-once')).toMatchObject({ status: 'ready' });
  const outputPath = folder.pathOf('half-made');
  const outcome = await pool.makeVariant({
    path: folder.write('crash', 'text'),
    outputPath,
    mimeType: 'text/plain',
    facts: {},
    recipe: { purpose: 'decoded-text', encoding: 'utf-8', maxBytes: 10 },
  });
  expect(outcome).toMatchObject({
    status: 'failed',
    failure: { code: 'attachment_optimization_failed', safeDetails: { cause: 'crash' } },
  });
  expect(existsSync(outputPath)).toBe(false);
});
