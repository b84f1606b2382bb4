import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { type HostedStack, type SpawnedService, shareServers, spawnService, startHosted } from '@attache/test-harness';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';

const servers = inject('servers');
const hasStack = Boolean(servers.postgres && servers.minio && servers.nats) && (await whereSandboxed());
const title = 'two gateways';

const SESSIONS = 8;
const MESSAGES = 4;

let stack: HostedStack;
let second: SpawnedService;
let sql: postgres.Sql;

/** Sends one message after the other in a session; each is answered. */
async function converse(): Promise<void> {
  const { session, agent } = await stack.api.createSession();
  for (let count = 0; count < MESSAGES; count += 1) {
    const { deliveries } = await stack.api.send(session.id, { to: [agent.id], text: `message ${count}` });
    expect(await stack.api.settled(deliveries[0].id)).toMatchObject({ status: 'responded' });
  }
}

async function countRows() {
  const [counts] =
    await sql`select count(*)::int as messages, sum(deferrals)::int as deferrals, count(published_at)::int as published,
    count(*) filter (where state = 'done')::int as done from outbox where subject = 'delivery.prepared'`;
  const owners = await sql`select replica_id, count(*)::int as sessions from session_owner group by replica_id`;
  return { counts, owners: owners.length };
}

(hasStack ? describe : describe.skip)(
  hasStack ? title : `${title}: they need Postgres, NATS, MinIO and a sandbox`,
  () => {
    beforeAll(async () => {
      stack = await startHosted({ servers: shareServers(servers) });
      const dataDir = join(stack.dataDir, 'second-gateway');
      await mkdir(dataDir, { recursive: true });
      const name = { ATTACHE_DATA_DIR: dataDir, ATTACHE_REPLICA_ID: `${stack.dataDir.slice(-6)}-second` };
      second = await spawnService('runner-gateway', { ...stack.environmentOf('runner-gateway'), ...name });
      sql = postgres(stack.database.superuserUrl, { max: 1, onnotice: () => {} });
    });
    afterAll(async () => {
      await sql?.end();
      await second?.end('SIGTERM');
      await stack?.stop();
    });

    it('have each what is theirs at once: no message of a session is put off because the other one owns it [BX-16]', async () => {
      await Promise.all(Array.from({ length: SESSIONS }, converse));
      const expected = { messages: SESSIONS * MESSAGES, deferrals: 0, done: SESSIONS * MESSAGES };
      await vi.waitFor(async () => expect((await countRows()).counts).toMatchObject(expected), { timeout: 60_000 });
      const { counts, owners } = await countRows();
      process.stdout.write(`two gateways: ${JSON.stringify({ ...counts, owners })}\n`);
      expect(owners).toBe(2);
      // The relay carries only messages that a busy machine keeps waiting for longer than a ring counts.
      expect(counts?.published).toBeLessThan(SESSIONS);
    });
  },
);
