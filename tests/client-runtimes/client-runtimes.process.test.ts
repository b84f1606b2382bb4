import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyTemplateFolder, type SpawnedStack, spawnStack } from '@attache/test-harness';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { RunOptions } from './src/context.ts';
import { startFaultProxy } from './src/proxy/fault-proxy.ts';
import { runInWorkerd } from './src/runtimes/run-in-workerd.ts';
import { runInDeno, runInNode } from './src/runtimes/run-program.ts';
import { type CaseResult, cases } from './src/suite.ts';

const unlimited = { ATTACHE_RATE_PER_KEY: '0', ATTACHE_RATE_PER_TENANT: '0', ATTACHE_STREAMS_PER_KEY: '0' };

// Each waits for most of its time.
describe.concurrent('the client', () => {
  let stack: SpawnedStack;
  let dataDir: string;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'attache-runtimes-'));
    dataDir = await copyTemplateFolder();
    stack = await spawnStack(dataDir, unlimited);
  });
  afterAll(async () => {
    await stack?.end('SIGTERM');
    for (const path of [folder, dataDir]) await rm(path, { recursive: true, force: true });
  });

  /** Runs the suite behind a proxy of its own, in a folder of its own. */
  async function runBehindProxy(
    run: (folder: string, options: RunOptions) => Promise<CaseResult[]>,
  ): Promise<CaseResult[]> {
    const proxy = await startFaultProxy(stack.url);
    try {
      const { baseUrl, controlUrl } = proxy;
      return await run(await mkdtemp(join(folder, 'runtime-')), { baseUrl, controlUrl, apiKey: stack.api.apiKey });
    } finally {
      await proxy.close();
    }
  }

  const passed = cases.map(({ name }) => ({ name }));

  const all = [
    ['Node', runInNode],
    ['Deno', runInDeno],
    ['workerd, a runtime at the edge', runInWorkerd],
  ] as const;

  // The same suite runs in Chromium each time: see tests/browser.
  it.for(process.env.ATTACHE_TEST_AMOUNT === 'few' ? all.slice(0, 1) : all)(
    'keeps its promises in %s',
    async ([, run], { expect }) => {
      expect(await runBehindProxy(run)).toEqual(passed);
    },
  );
});
