import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import type { Delivery } from '@attache/contracts';
import { type HostedStack, shareServers, startHosted } from '@attache/test-harness';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const servers = inject('servers');
const hasStack = Boolean(servers.postgres && servers.minio && servers.nats) && (await whereSandboxed());
const title = 'what several rows are locked for';

let stack: HostedStack;
let sql: postgres.Sql;

const uuidOf = (publicId: string): string => {
  const hex = Buffer.from(publicId.slice(publicId.indexOf('_') + 1), 'base64url').toString('hex');
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
};

/** Resolves once someone waits for a lock in this database. */
const someoneWaits = () =>
  expect
    .poll(async () => {
      const [found] = await sql`select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      return found?.waiting;
    })
    .toBeGreaterThan(0);

/** An agent in a turn that does not end, with deliveries behind it. */
async function occupy(count: number) {
  const { session, agent } = await stack.api.createSession();
  const send = async (text: string): Promise<Delivery> =>
    (await stack.api.send(session.id, { to: [agent.id], text })).deliveries[0];
  const hanging = await send('example: hang');
  await stack.api.reached(hanging.id, 'written');
  const waiting: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id } = await send(`message ${index}`);
    await stack.api.reached(id, 'prepared');
    waiting.push(uuidOf(id));
  }
  return { session, agent, waiting };
}

(hasStack ? describe : describe.skip)(
  hasStack ? title : `${title}: it needs Postgres, NATS, MinIO and a sandbox`,
  () => {
    beforeAll(async () => {
      stack = await startHosted({ servers: shareServers(servers) });
      sql = postgres(stack.database.superuserUrl, { max: 4, onnotice: () => {} });
    });
    afterAll(async () => {
      await sql?.end();
      await stack?.stop();
    });

    it('is taken in the order of a step by another target: the delivery, then its agent [DL-51]', async () => {
      const { session, agent, waiting } = await occupy(1);
      const changing = { current: Promise.resolve({ status: 0 }) };
      // The statements of a step of the delivery, one at a time.
      await sql.begin(async (step) => {
        await step`update delivery set trace_id = trace_id where id = ${waiting[0] ?? ''}`;
        const target = { profile: 'example', model: 'example-text' };
        changing.current = stack.api.call('PATCH', `/sessions/${session.id}/agents/${agent.id}`, { body: { target } });
        await someoneWaits();
        await step`update agent set status = status where id = ${uuidOf(agent.id)}`;
        await step`update session set last_seq = last_seq where id = ${uuidOf(session.id)}`;
      });
      expect((await changing.current).status).toBe(200);
      // A turn that does not end would hold up the stop of the stack.
      await stack.api.call('POST', `/sessions/${session.id}/interrupt`, { body: { agentId: agent.id } });
    });

    it('is taken in the order of a step by an interrupt: all deliveries, then their agent and session [DL-61]', async () => {
      const { session, agent, waiting } = await occupy(2);
      await sql`update delivery set status = 'claimed' where id in ${sql(waiting)}`;
      const interrupting = { current: Promise.resolve({ status: 0 }) };
      await sql.begin(async (step) => {
        await step`update delivery set trace_id = trace_id where id = ${waiting[1] ?? ''}`;
        const body = { agentId: agent.id };
        interrupting.current = stack.api.call('POST', `/sessions/${session.id}/interrupt`, { body });
        await someoneWaits();
        await step`update agent set resident = resident where id = ${uuidOf(agent.id)}`;
        await step`update session set last_seq = last_seq where id = ${uuidOf(session.id)}`;
      });
      expect((await interrupting.current).status).toBe(202);
    });
  },
);
