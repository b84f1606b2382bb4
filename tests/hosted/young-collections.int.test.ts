import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, shareServers, spawnStack, startHosted } from '@attache/test-harness';
import { expect, inject, it } from 'vitest';

const servers = inject('servers');
const hasServers = Boolean(servers.postgres && servers.minio && servers.nats);
const NODE_OPTIONS = `--import=${new URL('fixtures/count-collections.mjs', import.meta.url).href}`;

/** Two hundred megabytes: eleven times 16 MiB, and most of another. */
async function moveFiles(api: Api): Promise<void> {
  const { session } = await api.createSession();
  const urls: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    const { displayUrl } = await api.upload(session.id, randomBytes(25_000_000), {
      name,
      type: 'application/octet-stream',
    });
    urls.push(displayUrl);
  }
  for (const url of urls) expect((await (await fetch(url)).bytes()).byteLength).toBe(25_000_000);
}

const readAskedCount = (log: string): number => Number(/asked for (\d+) collections/.exec(log)?.[1]);

it('the embedded stack has V8 collect after every 16 MiB of uploads', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'attache-test-collected-'));
  const stack = await spawnStack(dataDir, { NODE_OPTIONS });
  await moveFiles(stack.api);
  await stack.end('SIGTERM');
  await rm(dataDir, { recursive: true });
  expect(readAskedCount(stack.log())).toBe(5);
});

it.runIf(hasServers)(
  'ingest of the hosted stack has V8 collect after every 16 MiB of uploads and downloads',
  async () => {
    const stack = await startHosted({ servers: shareServers(servers), environment: { NODE_OPTIONS } });
    await moveFiles(stack.api);
    await stack.services.ingest.end('SIGTERM');
    const log = stack.services.ingest.stderr();
    await stack.stop();
    expect(readAskedCount(log)).toBe(11);
  },
);
