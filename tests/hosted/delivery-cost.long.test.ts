import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { startsOf } from '@attache/infra/native/servers/server-starts';
import {
  type CallWatch,
  type HostedStack,
  planCountingSettings,
  shareServers,
  startHosted,
  watchCalls,
} from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';

const servers = inject('servers');
const startPostgres = startsOf(servers.programs).postgres;
const hasStack = Boolean(startPostgres && servers.minio && servers.nats) && (await whereSandboxed());
const title = 'a delivery of 100 kB, its upload and one follower';

const SIZE_BYTES = 100_000;
const COUNT = 40;
// After these, each connection of the pools keeps the plans of its statements.
const WARMING = 60;
/** Commits that services make by themselves, at their times: the slower the machine, the more of them meanwhile. */
const BY_THE_CLOCK = /attache_(renew_lease|keep_lease|refresh_statistics|fill_pool)\(/;

let stack: HostedStack;
let calls: CallWatch;
const ending = new AsyncDisposableStack();

/** Returns what waits until the log has said this of something. It reads the stream alone, which costs no statement of its own. */
async function follow(sessionId: string) {
  const { body } = await fetch(`${stack.url}/v1/sessions/${sessionId}/events`, {
    headers: { authorization: `Bearer ${stack.apiKey}`, accept: 'text/event-stream' },
  });
  if (!body) throw new Error('there is no stream');
  const lines = createInterface({ input: Readable.fromWeb(body as never) })[Symbol.asyncIterator]();
  return async (...parts: string[]) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('the stream has ended');
      if (parts.every((part) => value.includes(part))) return;
    }
  };
}

type Called = { login: string; statement: string; calls: number };

const countCalls = (statements: readonly Called[], isMeant: (one: Called) => boolean): number =>
  statements.filter(isMeant).reduce((total, one) => total + one.calls, 0);

(hasStack ? describe : describe.skip)(
  hasStack ? title : `${title}: it needs Postgres, NATS, MinIO and a sandbox`,
  () => {
    beforeAll(async () => {
      const postgres = await startPostgres?.({ settings: planCountingSettings });
      if (!postgres) throw new Error('Postgres did not start');
      ending.defer(() => postgres.stop());
      stack = await startHosted({ servers: { ...shareServers(servers), postgres } });
      ending.defer(() => stack.stop());
      calls = await watchCalls(stack.database.superuserUrl);
      ending.defer(() => calls.end());
    });
    afterAll(() => ending.disposeAsync());

    it('takes so many statements and commits, and no more', async () => {
      const { session, agent } = await stack.api.createSession();
      const heard = await follow(session.id);
      const deliverOne = async (number: number) => {
        const bytes = Buffer.alloc(SIZE_BYTES, `${number} says nothing new\n`);
        const { attachment } = await stack.api.upload(session.id, bytes, { type: 'text/plain', name: 'words.txt' });
        const draft = { to: [agent.id], text: 'example: refuse', attachmentIds: [attachment.id] };
        const { deliveries } = await stack.api.send(session.id, draft);
        await heard('delivery.responded', deliveries[0].id);
      };
      for (let warming = 0; warming < WARMING; warming += 1) await deliverOne(warming);
      const { statements, planned, writingTransactions } = await calls.during(async () => {
        for (let number = WARMING; number < WARMING + COUNT; number += 1) await deliverOne(number);
        // It evaluates what indexes are made of.
        await calls.analyse('attachment_name');
      });
      const each = statements.map((one) => ({ ...one, calls: one.calls / COUNT }));
      const table = each.map((one) => `${one.calls.toFixed(2).padStart(6)}  ${one.login}  ${one.statement}`);
      // The services' own work takes a share that grows with the time that this machine needs.
      const sum = each.reduce((total, one) => total + Math.round(one.calls), 0);
      const byTheClock = countCalls(statements, ({ statement }) => BY_THE_CLOCK.test(statement));
      const writes = (writingTransactions - byTheClock) / COUNT;
      process.stdout.write(`${sum} statements, ${writes.toFixed(1)} commits that write\n`);
      expect(sum, table.join('\n')).toBeLessThanOrEqual(7);
      // One each: the file, the message, the first byte, `written`, and what the agent said with the end of its turn.
      expect(writes, table.join('\n')).toBeLessThan(5.5);
      // The server plans nothing again for a delivery: only what services do by themselves, and what a connection meets for the first time.
      const plans = planned
        .filter((one) => one.plans > COUNT / 2)
        .map((one) => `${one.plans / COUNT} × ${one.statement}`);
      expect(plans).toEqual([]);
    });

    it('reads no row of a new file: its ring brings what is to be inspected [AT-02]', async () => {
      const { session } = await stack.api.createSession();
      const heard = await follow(session.id);
      const { statements } = await calls.during(async () => {
        for (let number = 0; number < COUNT; number += 1) {
          const bytes = Buffer.from(`%PDF-1.7 and nothing of a document ${number}`);
          const { attachment } = await stack.api.upload(session.id, bytes, { type: 'application/pdf', name: 'a.pdf' });
          await heard('attachment.rejected', attachment.id);
        }
      });
      const countOf = (name: string) =>
        countCalls(statements, ({ login, statement }) => login.includes('projector') && statement.includes(name));
      expect(countOf('attache_settle_inspection')).toBe(COUNT);
      // One that no projector handled at once is read when the relay brings it.
      expect(countOf('attache_read_attachments')).toBeLessThan(COUNT / 4);
    });

    it('asks NATS for nothing that the user of a service may not do [S28]', () => {
      for (const { stderr } of Object.values(stack.services)) expect(stderr()).not.toContain('nats.refused');
    });
  },
);
