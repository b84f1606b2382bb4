import { setTimeout as delay } from 'node:timers/promises';
import { readEnvironment } from '@attache/infra/config';
import { findServers } from '@attache/infra/find-servers';
import type { ServerStarts } from '@attache/infra/native/servers/server-starts';
import type { Api } from '@attache/test-harness';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest';
import { drawTests } from '../faults/draw-tests.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { findOwner } from './find-owner.ts';

const { starts } = await findServers({ environment: readEnvironment() });
const hasServers = Boolean(starts.postgres && starts.nats && starts.minio);
const title = 'three gateways whose servers fail';

const LOCKS = { claimed: 4_731, written: 4_732, responded: 4_733 } as const;
const WAIT = { timeout: 60_000, interval: 20 };
/** Shorter than a gateway's lease may go without a renewal. */
const CUT_MS = 700;
const { ATTACHE_TEST_AMOUNT: kills, ATTACHE_TEST_NATS_DOWN_MS: natsDownMs } = process.env;
/** Two minutes in the long tests, and as long as is asked for. */
const NATS_DOWN_MS = Number(natsDownMs ?? (kills === 'all' ? 120_000 : 15_000));

let cluster: Cluster;
let api: Api;
let sql: postgres.Sql;

type Talk = { sessionId: string; agentId: string };

const open = async (): Promise<Talk> => {
  const { session, agent } = await api.createSession();
  return { sessionId: session.id, agentId: agent.id };
};

const say = async ({ sessionId, agentId }: Talk, text: string): Promise<string> =>
  (await api.send(sessionId, { to: [agentId], text })).deliveries[0].id;

const ownerOf = ({ sessionId }: Talk) => findOwner(cluster, sessionId);

/** Each status of a delivery, in its order. */
const statusesOf = async (id: string) => (await api.delivery(id)).timeline.map(({ status }) => status);

const ONCE = ['queued', 'prepared', 'claimed', 'written', 'responded'];

/** The same without the claims that were given back before a byte was written. */
const withoutGivenBack = (statuses: readonly string[]) =>
  statuses
    .filter((status, index) => status !== 'claimed' || statuses[index + 1] !== 'prepared')
    .filter((status, index, kept) => status !== 'prepared' || kept[index - 1] !== 'prepared');

/** Each is responded once, or nobody knows what came of it, once. */
async function expectOneEnd(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { status, failure, timeline } = await api.settled(id);
    const isEnd = status === 'responded' || failure?.code === 'delivery_outcome_unknown';
    expect([isEnd, status, failure?.code]).toEqual([true, status, failure?.code]);
    expect(timeline.filter((step) => step.status === 'responded' || step.status === 'failed')).toHaveLength(1);
  }
}

(hasServers ? describe : describe.skip)(hasServers ? title : `${title}: it needs Postgres, NATS and MinIO`, () => {
  const drawn = drawTests({ of: 6, few: 2 });

  beforeAll(async () => {
    cluster = await startCluster(starts as ServerStarts, 3);
    api = cluster.stack.api;
    sql = postgres(cluster.stack.database.superuserUrl, { max: 3, onnotice: () => {} });
    for (const [status, lock] of Object.entries(LOCKS))
      await sql.unsafe(`create function hold_${status}() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock_shared(${lock}); return null; end $$;
        create constraint trigger hold_${status} after update on delivery deferrable initially deferred
          for each row when (new.status = '${status}' and old.status <> '${status}') execute function hold_${status}()`);
  });
  afterAll(async () => {
    await sql?.end();
    await cluster?.stop();
  });
  afterEach(async () => {
    for (const gateway of cluster.gateways) {
      const { exitCode, signalCode } = gateway.service.process;
      if (exitCode !== null || signalCode !== null) await gateway.start();
    }
  });

  for (const [status, lock] of Object.entries(LOCKS))
    drawn(
      `an answer that is lost after the commit of \`${status}\` is asked for again: nothing is done twice [W4 DL-61]`,
      async () => {
        const talk = await open();
        await api.settled(await say(talk, 'hello'));
        const owner = await ownerOf(talk);
        const holder = await sql.reserve();
        await holder`select pg_advisory_lock(${lock})`;
        const id = await say(talk, 'and now?');
        await vi.waitUntil(async () => {
          const [held] =
            await sql`select 1 from pg_locks where locktype = 'advisory' and objid = ${lock} and not granted`;
          return held !== undefined;
        }, WAIT);
        owner.links.postgres.set('cut');
        await holder`select pg_advisory_unlock(${lock})`;
        holder.release();
        await delay(CUT_MS);
        owner.links.postgres.set('open');
        expect(await api.settled(id)).toMatchObject({ status: 'responded' });
        expect(await statusesOf(id)).toEqual(ONCE);
        expect((await ownerOf(talk)).name).toBe(owner.name);
      },
    );

  drawn('a database that answers late holds nothing up for good, and nothing is done twice [W15]', async () => {
    const talks = await Promise.all(Array.from({ length: 6 }, open));
    for (const { links } of cluster.gateways) links.postgres.set({ delayMs: 120 });
    const ids = await Promise.all(talks.map((talk) => say(talk, 'hello')));
    const ends = await Promise.all(ids.map((id) => api.settled(id)));
    for (const { links } of cluster.gateways) links.postgres.set('open');
    expect(ends.map(({ status }) => status)).toEqual(Array(6).fill('responded'));
    // A statement that took too long gives its claim back, and the delivery is claimed again.
    for (const id of ids) expect(withoutGivenBack(await statusesOf(id))).toEqual(ONCE);
  });

  drawn(
    'a database that fails over under load: what was acknowledged has one end, and the next message is answered [W15 W4]',
    async () => {
      const talks = await Promise.all(Array.from({ length: 6 }, open));
      await Promise.all(talks.map(async (talk) => api.settled(await say(talk, 'hello'))));
      const ids = await Promise.all(talks.map((talk) => say(talk, 'example: slow 1500')));
      await cluster.restartPostgres();
      await expectOneEnd(ids);
      for (const talk of talks)
        expect(await api.settled(await say(talk, 'and now?'))).toMatchObject({ status: 'responded' });
    },
  );

  drawn(
    'NATS that is gone, with all that it had stored, while an owner dies: each message is answered once [W13 W10]',
    async () => {
      const talks = await Promise.all(Array.from({ length: 6 }, open));
      await Promise.all(talks.map(async (talk) => api.settled(await say(talk, 'hello'))));
      const lost = cluster.loseNats(NATS_DOWN_MS);
      const ids = await Promise.all(talks.map((talk) => say(talk, 'while it is gone')));
      const [first] = talks as [Talk];
      await (await ownerOf(first)).service.end('SIGKILL');
      const more = await Promise.all(talks.map((talk) => say(talk, 'after an owner died')));
      await lost;
      await expectOneEnd([...ids, ...more]);
      for (const talk of talks)
        expect(await api.settled(await say(talk, 'and now?'))).toMatchObject({ status: 'responded' });
    },
    NATS_DOWN_MS + 240_000,
  );
});
