import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import {
  type HostedStack,
  type SpawnedService,
  shareServers,
  shortLimits,
  spawnService,
  startHosted,
} from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const servers = inject('servers');
const hasStack = Boolean(servers.postgres && servers.minio && servers.nats) && (await whereSandboxed());
const title = 'a gateway whose name another one has';

let stack: HostedStack;
const environment = () => stack.environmentOf('runner-gateway');

/** Starts a gateway under the name of the stack's own one, in a folder of its own. */
async function startNamesake(folder: string, changes: Record<string, string> = {}): Promise<SpawnedService> {
  const dataDir = join(stack.dataDir, folder);
  await mkdir(dataDir, { recursive: true });
  return spawnService('runner-gateway', { ...environment(), ATTACHE_DATA_DIR: dataDir, ...changes });
}

async function talk(): Promise<void> {
  const { session, agent } = await stack.api.createSession();
  const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text: 'hello' });
  expect(await stack.api.settled(deliveries[0].id)).toMatchObject({ status: 'responded' });
}

(hasStack ? describe : describe.skip)(
  hasStack ? title : `${title}: it needs Postgres, NATS, MinIO and a sandbox`,
  () => {
    beforeAll(async () => {
      stack = await startHosted({ servers: shareServers(servers), limits: { aloneMs: shortLimits.aloneMs } });
    });
    afterAll(() => stack?.stop());

    it('is refused with one sentence while that one lives, which continues with its agents [BX-16]', async () => {
      const { session, agent } = await stack.api.createSession();
      const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text: 'example: hang' });
      await stack.api.reached(deliveries[0].id, 'written');
      const said = await startNamesake('second').then(
        () => 'it came up',
        (error: Error) => error.message,
      );
      expect(said).toMatch(/Another gateway runs as \S+: stop it, or give this one a name/);
      await stack.api.call('POST', `/sessions/${session.id}/interrupt`, { body: { agentId: agent.id } });
      expect(await stack.api.settled(deliveries[0].id)).toMatchObject({ status: 'responded' });
    });

    it('is refused in the folder of that one whatever it is called', async () => {
      const said = await startNamesake('runner-gateway', { ATTACHE_REPLICA_ID: 'another-name' }).then(
        () => 'it came up',
        (error: Error) => error.message,
      );
      expect(said).toContain('is used by the running process');
      await talk();
    });

    it('starts after that one was killed, in its folder or in another one [BX-16]', async () => {
      await stack.restart('runner-gateway', 'SIGKILL');
      expect(stack.services['runner-gateway'].stderr()).not.toContain('replica.waits_for_lease');
      await talk();
      await stack.services['runner-gateway'].end('SIGKILL');
      // Its guard has ended its lease, or does so while this one waits for that.
      const elsewhere = await startNamesake('third');
      await talk();
      await elsewhere.end('SIGTERM');
      await stack.start('runner-gateway');
      await talk();
    });
  },
);
