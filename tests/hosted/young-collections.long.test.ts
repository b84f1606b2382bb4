import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, shareServers, spawnStack, startHosted } from '@attache/test-harness';
import { describe, expect, inject, it } from 'vitest';

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

/** A second of sound per 8,000 bytes, each another. */
function makeWav(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(sizeBytes - 8, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  for (const [at, value] of [
    [16, 16],
    [24, 8000],
    [28, 8000],
  ] as const)
    header.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    header.writeUInt16LE(value, at);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(sizeBytes - 44, 40);
  return Uint8Array.from(Buffer.concat([header, randomBytes(sizeBytes - 44)]));
}

async function deliverSound(api: Api, sizeBytes: number): Promise<void> {
  const { session, agent } = await api.createSession({ model: 'example-omni' });
  const { attachment } = await api.upload(session.id, makeWav(sizeBytes), { name: 'a.wav', type: 'audio/wav' });
  await api.inspected(attachment.id);
  const sent = { to: [agent.id], text: 'example: refuse', attachmentIds: [attachment.id] };
  const { receipt } = await api.settled((await api.send(session.id, sent)).deliveries[0].id);
  expect(receipt?.items).toMatchObject([{ form: 'native' }]);
}

describe.runIf(hasServers)('the hosted stack', () => {
  it('has V8 collect after every 16 MiB of uploads and downloads in ingest, and after every 4 MiB in the gateway', async () => {
    const stack = await startHosted({ servers: shareServers(servers), environment: { NODE_OPTIONS } });
    await moveFiles(stack.api);
    await deliverSound(stack.api, 10_000_000);
    const { ingest, 'runner-gateway': gateway } = stack.services;
    for (const service of [ingest, gateway]) await service.end('SIGTERM');
    await stack.stop();
    expect(readAskedCount(ingest.stderr())).toBe(12);
    expect(readAskedCount(gateway.stderr())).toBe(2);
  });
});
