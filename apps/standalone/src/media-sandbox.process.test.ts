import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareWorkerSandbox } from '@attache/agent-process';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { createMediaPool, defaultMediaPoolOptions, type MediaPoolOptions } from '@attache/media';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const hostile = fileURLToPath(new URL('../../../packages/media/src/worker/__fixtures__/hostile.ts', import.meta.url));

let data: string;
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'attache-media-box-'));
});
afterEach(() => rm(data, { recursive: true }));

async function openPool(workerPath = defaultMediaPoolOptions.workerPath, more: Partial<MediaPoolOptions> = {}) {
  const prepared = await prepareWorkerSandbox([process.execPath, workerPath], [data], process.env.PATH ?? '');
  if (prepared.status === 'unavailable') throw new Error(prepared.diagnostic);
  const sandbox = { ...prepared.sandbox, exchangeFolder: join(data, 'exchange') };
  return createMediaPool({ workers: 1, workerPath, sandbox, ...more });
}

async function attack(pool: ReturnType<typeof createMediaPool>): Promise<number | undefined> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await writeFile(join(data, 'secret'), 'of a tenant');
  const { port } = server.address() as { port: number };
  const path = join(data, 'file');
  const targets = JSON.stringify({ secret: join(data, 'secret'), folder: data, port, parentPid: process.pid });
  await writeFile(path, targets);
  const found = await pool.inspect({ path, sizeBytes: targets.length });
  server.close();
  expect(await readFile(path, 'utf8')).toMatch(new RegExp(`^${RegExp.escape(targets)} *$`));
  return found.status === 'ready' ? (found.facts.pages ?? 0) - 1 : undefined;
}

describe.runIf(await whereSandboxed())('a worker that looks at files, in a sandbox', () => {
  it('reaches nothing but its file, which it cannot change; without one it reaches all [S16 S19]', async () => {
    await using boxed = await openPool(hostile);
    expect(await attack(boxed)).toBe(0);
    await using bare = createMediaPool({ workers: 1, workerPath: hostile });
    expect(await attack(bare)).toBeGreaterThan(5);
    await rm('/etc/left-by-hostile', { force: true });
  });

  it('inspects files, makes variants of them, and leaves nothing behind [SR-14]', async () => {
    const pool = await openPool();
    const pdf = buildPdf([['One'], ['Two']]);
    const path = join(data, 'a.pdf');
    await writeFile(path, pdf);
    for (let count = 0; count < 3; count += 1) {
      expect(await pool.inspect({ path, sizeBytes: pdf.length })).toMatchObject({
        status: 'ready',
        facts: { pages: 2 },
      });
      const outputPath = join(data, `page-${count}`);
      const recipe = {
        purpose: 'page-image',
        page: 2,
        mimeType: 'image/png',
        maxEdgePixels: 99,
        maxBytes: 99_999,
      } as const;
      const made = await pool.makeVariant({ path, outputPath, mimeType: 'application/pdf', facts: {}, recipe });
      expect(made).toMatchObject({ status: 'made', page: 2, height: 99 });
      expect((await readFile(outputPath)).length).toBe(made.status === 'made' ? made.sizeBytes : -1);
    }
    await pool[Symbol.asyncDispose]();
    expect(await readdir(join(data, 'exchange'))).toEqual([]);
  });

  it('is ended for its memory as without one [S16]', async () => {
    const allocate = fileURLToPath(
      new URL('../../../packages/media/src/worker/__fixtures__/allocate.ts', import.meta.url),
    );
    await using pool = await openPool(allocate, { memoryBytes: 200 * 1024 * 1024 });
    const path = join(data, 'allocate');
    await writeFile(path, 'some text');
    expect(await pool.inspect({ path, sizeBytes: 9 })).toMatchObject({
      ...{ status: 'rejected', failure: { safeDetails: { cause: 'memory' } } },
    });
  });
});
