import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { type HostedStack, shareServers, startHosted } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';

const servers = inject('servers');
const hasStack = Boolean(servers.postgres && servers.minio && servers.nats) && (await whereSandboxed());
const example = { runtime: 'acp', command: ['attache-example-agent'], provider: 'example', model: 'example-vision' };
const readers = ['ingest', 'runner-gateway'] as const;
const PATIENCE = { timeout: 60_000, interval: 50 };

let stack: HostedStack;

async function reload(profiles: object, said: string): Promise<void> {
  await writeFile(join(stack.dataDir, 'profiles.json'), JSON.stringify({ profiles }));
  for (const name of readers) {
    const service = stack.services[name];
    const count = () => service.stderr().split(said).length;
    const before = count();
    service.process.kill('SIGHUP');
    await vi.waitFor(() => expect(count()).toBe(before + 1), PATIENCE);
  }
}

async function converse(profile: string): Promise<string> {
  const { session, agent } = await stack.api.createSession({ profile });
  const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text: 'Hello.' });
  return (await stack.api.settled(deliveries[0].id)).status;
}

const title = 'hosted services that get SIGHUP';

// Nothing is registered as skipped where the servers are: CI takes every skip for a fault.
(hasStack ? describe : describe.skip)(
  hasStack ? title : `${title}: it needs Postgres, NATS, MinIO and a sandbox`,
  () => {
    beforeAll(async () => {
      stack = await startHosted({ servers: shareServers(servers), profiles: { first: example } });
    });
    afterAll(() => stack?.stop());

    it('keep their profiles where the file is faulty', async () => {
      await reload({ second: { ...example, runtime: 'telepathy' } }, 'profiles.not_reloaded');
      expect(await converse('first')).toBe('responded');
    });

    it('plan and start by a good one: ingest and gateway each read it', async () => {
      await reload({ second: example }, 'profiles.reloaded');
      expect(await converse('second')).toBe('responded');
    });
  },
);
