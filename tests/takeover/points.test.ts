import { readEnvironment } from '@attache/infra/config';
import { findServers } from '@attache/infra/find-servers';
import type { ServerStarts } from '@attache/infra/native/servers/server-starts';
import { type Api, conversingAgent, type PickyModel, runCommand, startPickyModel } from '@attache/test-harness';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest';
import { drawTests } from '../faults/draw-tests.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { findOwner } from './find-owner.ts';
import { interruptTurn } from './interrupt-turn.ts';

const { starts } = await findServers({ environment: readEnvironment() });
const hasServers = Boolean(starts.postgres && starts.nats && starts.minio);
const title = 'a gateway that dies, drains or lets go at one point';

const LOCK = 4_720;
const WAIT = { timeout: 60_000, interval: 20 };

let cluster: Cluster;
let model: PickyModel;
let api: Api;
let sql: postgres.Sql;

type Place = Awaited<ReturnType<Api['createSession']>>;

const openPlace = (profile = 'example'): Promise<Place> =>
  api.createSession({ profile, model: profile === 'example' ? 'example-vision' : 'claude-sonnet-5' });

const send = async ({ session, agent }: Place, text: string) =>
  (await api.send(session.id, { to: [agent.id], text })).deliveries[0].id;

const ownerOf = ({ session }: Place) => findOwner(cluster, session.id);

async function attache(...command: string[]): Promise<unknown> {
  const environment = { ATTACHE_DATABASE_URL: cluster.stack.database.urlOf('operator') };
  const { stdout, stderr } = await runCommand([...command, '--json'], environment);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

async function deathsOf({ session }: Place): Promise<number> {
  const { items } = (await attache('session', 'list', 'local')) as { items: { sessionId: string; deaths: number }[] };
  return items.find(({ sessionId }) => sessionId === session.id)?.deaths ?? 0;
}

const eventsOf = async ({ session }: Place, kind: string) =>
  (await api.events(session.id)).filter((event) => event.kind === kind).map(({ data }) => data);

/** Until a gateway has learned what operators asked for by now: the renewal of its lease returns that, and another one follows once it is heard. */
async function passRenewals(gateway: string): Promise<void> {
  const readLease = async () =>
    (await sql`select lease_until::text from replica where id = ${gateway}`)[0]?.lease_until;
  for (const _renewal of ['asked', 'heard']) {
    const before = await readLease();
    await vi.waitUntil(async () => (await readLease()) !== before, WAIT);
  }
}

/** Requests of the stub in which this text is the last of the user's. */
const askedFor = (text: string) => model.requests.filter((said) => said.at(-1)?.includes(text)).length;

(hasServers ? describe : describe.skip)(hasServers ? title : `${title}: it needs Postgres, NATS and MinIO`, () => {
  const drawn = drawTests({ of: 6, few: 2 });

  beforeAll(async () => {
    model = await startPickyModel();
    const endpoint = { api: 'anthropic', baseUrl: model.url, apiKey: 'env:PATH' };
    const command = [process.execPath, conversingAgent, 'claude-agent-acp'];
    const program = { runtime: 'acp', command, ownTools: 'none', provider: 'anthropic', model: 'claude-sonnet-5' };
    const conversing = { ...program, endpoint, sandbox: { mode: 'none' } };
    cluster = await startCluster(starts as ServerStarts, 2, { profiles: { conversing } });
    api = cluster.stack.api;
    sql = postgres(cluster.stack.database.superuserUrl, { max: 3, onnotice: () => {} });
    await sql.unsafe(`create function test_hold() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${LOCK}); return null; end $$;
      create constraint trigger test_hold after update on delivery deferrable initially deferred
        for each row when (new.forwarding = 'forwarded' and old.forwarding = 'watched') execute function test_hold()`);
  });
  afterAll(async () => {
    await sql?.end();
    await cluster?.stop();
    await model?.stop();
  });

  // A gateway that a test has ended is started again for the next one.
  afterEach(async () => {
    for (const gateway of cluster.gateways) {
      const { exitCode, signalCode } = gateway.service.process;
      if (exitCode !== null || signalCode !== null) await gateway.start();
    }
  });

  drawn(
    'before the first request to the model went: the message is delivered again by another one, and the model sees it once [DL-61 W16 BX-16]',
    async () => {
      const place = await openPlace('conversing');
      await api.settled(await send(place, 'Remember seven.'));
      const holder = await sql.reserve();
      await holder`select pg_advisory_lock(${LOCK})`;
      const deliveryId = await send(place, 'Which number?');
      const pid = await vi.waitUntil(async () => {
        const [held] =
          await sql`select pid from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`;
        return held?.pid as number | undefined;
      }, WAIT);
      const owner = await ownerOf(place);
      await owner.service.end('SIGKILL');
      await sql`select pg_terminate_backend(${pid})`;
      await holder`select pg_advisory_unlock(${LOCK})`;
      holder.release();
      expect(await api.settled(deliveryId)).toMatchObject({ status: 'responded' });
      expect(askedFor('Which number?')).toBe(1);
      expect((await ownerOf(place)).name).not.toBe(owner.name);
      const epochs = (await eventsOf(place, 'delivery.claimed')).map(({ epoch }) => epoch);
      expect(epochs).toHaveLength(3);
      expect(epochs.at(-1)).toBeGreaterThan(epochs[0] as number);
      expect(await eventsOf(place, 'delivery.queued')).toMatchObject([{ deliveryId }]);
      const { timeline } = await api.delivery(deliveryId);
      expect(new Set(timeline.map(({ traceId }) => traceId)).size).toBe(1);
    },
  );

  drawn('while the model is asked: it is unknown what came of it, and it is not asked again [DL-61 W16]', async () => {
    const place = await openPlace('conversing');
    await api.settled(await send(place, 'Hello.'));
    const owner = await ownerOf(place);
    const killed = new Promise<void>((resolve) => {
      model.onAsked = (said) => {
        if (said.at(-1)?.includes('Kill it now.')) void owner.service.end('SIGKILL').then(() => resolve());
      };
    });
    const deliveryId = await send(place, 'Kill it now.');
    await killed;
    model.onAsked = () => undefined;
    const { status, failure } = await api.settled(deliveryId);
    expect([status, failure?.code]).toEqual(['failed', 'delivery_outcome_unknown']);
    expect(askedFor('Kill it now.')).toBe(1);
    await api.settled(await send(place, 'Still there?'));
    expect((await eventsOf(place, 'agent.started')).at(-1)).toMatchObject({
      continuedBy: expect.stringMatching(/checkpoint|rebuild/),
    });
    await owner.start();
  });

  drawn(
    'over the same session three times: that is parked, others continue, and an operator lets it continue [BX-16]',
    async () => {
      const [place, other] = [await openPlace(), await openPlace()];
      const ends: (string | undefined)[] = [];
      // A machine that halts for seconds ends the lease of a gateway before it is killed. That is no death, so another one follows.
      for (let deaths = 0; deaths < 3 && ends.length < 9; deaths = await deathsOf(place)) {
        const deliveryId = await send(place, 'example: hang');
        await api.reached(deliveryId, 'written');
        const owner = await ownerOf(place);
        await owner.service.end('SIGKILL');
        ends.push((await api.settled(deliveryId)).failure?.code);
        expect(await api.settled(await send(other, `message ${ends.length}`))).toMatchObject({ status: 'responded' });
        await owner.start();
      }
      expect(ends.length).toBeGreaterThanOrEqual(3);
      expect(new Set(ends)).toEqual(new Set(['delivery_outcome_unknown']));
      await api.logged(place.session.id, ({ kind }) => kind === 'session.parked');
      const body = { to: [place.agent.id], text: 'And now?' };
      const refused = await api.call('POST', `/sessions/${place.session.id}/messages`, { body });
      expect([refused.status, refused.body.code]).toEqual([409, 'SESSION_PARKED']);
      expect(await api.settled(await send(other, 'And you?'))).toMatchObject({ status: 'responded' });
      const parked = (await attache('session', 'list', 'local', '--parked')) as { items: object[] };
      expect(parked.items).toMatchObject([{ sessionId: place.session.id, state: 'parked', deaths: 3 }]);
      expect(await attache('session', 'unpark', 'local', place.session.id)).toEqual({ outcome: 'unparked' });
      expect(await api.settled(await send(place, 'And now?'))).toMatchObject({ status: 'responded' });
    },
  );

  drawn('and its lease ends by itself before anybody ends it: it counts as a death all the same [BX-16]', async () => {
    const place = await openPlace();
    const running = await send(place, 'example: hang');
    await api.reached(running, 'written');
    const owner = await ownerOf(place);
    const holder = await sql.reserve();
    await holder`begin`;
    // The end of the lease waits for this row.
    await holder`select id from replica where id = ${owner.name} for update`;
    await owner.service.end('SIGKILL');
    expect((await api.settled(running)).failure?.code).toBe('delivery_outcome_unknown');
    expect(await deathsOf(place)).toBe(1);
    await holder`rollback`;
    holder.release();
    await owner.start();
  });

  drawn(
    'because an operator wants it: it takes no more, finishes its turns, hands over what waits, and says so [BX-16]',
    async () => {
      const place = await openPlace();
      const running = await send(place, 'example: hang');
      await api.reached(running, 'written');
      const waiting = await send(place, 'Next.');
      const owner = await ownerOf(place);
      await attache('gateway', 'drain', owner.name);
      await passRenewals(owner.name);
      await interruptTurn(api, place.session.id, place.agent.id);
      expect(await api.settled(running)).toMatchObject({ status: 'responded' });
      expect(await api.settled(waiting)).toMatchObject({ status: 'responded' });
      expect((await ownerOf(place)).name).not.toBe(owner.name);
      const readiness = await fetch(`${owner.service.opsUrl}/readyz`);
      expect([readiness.status, await readiness.text()]).toEqual([
        503,
        expect.stringMatching(/ownership failed .*drains/),
      ]);
      const { items } = (await attache('gateway', 'list')) as {
        items: { gateway: string; state: string; sessions: number }[];
      };
      expect(items.find(({ gateway }) => gateway === owner.name)).toMatchObject({ state: 'draining', sessions: 0 });
      await owner.service.end('SIGTERM');
    },
  );

  drawn(
    'because its session is wanted elsewhere: what waits continues at the gateway that was named, after the turn [BX-16]',
    async () => {
      const place = await openPlace();
      const running = await send(place, 'example: hang');
      await api.reached(running, 'written');
      const waiting = await send(place, 'Next.');
      const owner = await ownerOf(place);
      const wanted = cluster.gateways.find(({ name }) => name !== owner.name)?.name ?? '';
      expect(await attache('session', 'move', 'local', place.session.id, '--to', wanted)).toEqual({ outcome: 'asked' });
      await passRenewals(owner.name);
      await interruptTurn(api, place.session.id, place.agent.id);
      expect(await api.settled(running)).toMatchObject({ status: 'responded' });
      expect(await api.settled(waiting)).toMatchObject({ status: 'responded' });
      expect((await ownerOf(place)).name).toBe(wanted);
      const epochs = (await eventsOf(place, 'delivery.claimed')).map(({ epoch }) => epoch);
      expect(epochs).toHaveLength(2);
      expect(epochs.at(-1)).toBeGreaterThan(epochs[0] as number);
    },
  );
});
