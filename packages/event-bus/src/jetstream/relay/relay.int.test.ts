import { randomUUID } from 'node:crypto';
import { type Database, markHandled, releaseClaims } from '@attache/database';
import { jetstream } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  ack,
  type Backends,
  type Given,
  missing,
  openConsumer,
  openLink,
  openRelay,
  publish,
  readStates,
  startBackends,
} from '../../../contract/jetstream-backends.contract.ts';
import type { JetstreamLink } from '../link.ts';
import { WORK_STREAM } from '../topology.ts';

const WAIT = { timeout: 60_000, interval: 20 };

let backends: Backends;

const countStored = async ({ jsm }: JetstreamLink) => (await jsm.streams.info(WORK_STREAM)).state.messages;

const waitForState = (tenantId: string, id: string, state: string) =>
  vi.waitUntil(async () => (await readStates(backends, tenantId))[id] === state, WAIT);

/** A handler with an effect in the transaction of its inbox row. */
function createEffect() {
  const effects: string[] = [];
  const handle = async ({ id, tenantId }: Given) => {
    const isFirst = await backends.db.asTenant(tenantId, (tx) => markHandled(tx, id, 'projector'));
    if (isFirst) effects.push(id);
    return { as: 'ack' } as const;
  };
  return { effects, handle };
}

/** The database of a process that dies after so many calls. */
function dieAfter(db: Database, callCount: number): Database {
  let left = callCount;
  return {
    ...db,
    call: (statement, options) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('this process is dead')) : db.call(statement, options);
    },
  };
}

describe.skipIf(missing)(missing ? `relay: ${missing}` : 'relay', () => {
  beforeAll(async () => {
    backends = await startBackends();
  });
  afterAll(() => backends.stop());

  it('that dies before it marks what it published leaves one message, not two [W6]', async () => {
    const tenantId = randomUUID();
    const link = await openLink(backends.nats, 'ingest');
    const id = await publish(backends, tenantId);
    const dying = openRelay({ ...backends, db: dieAfter(backends.db, 1) }, link, { pollMs: 3_600_000 });
    await vi.waitUntil(async () => (await countStored(link)) === 1, WAIT);
    await dying.stop();
    expect((await readStates(backends, tenantId))[id]).toBe('waiting');
    // The end of its claim.
    await releaseClaims(backends.db);
    openRelay(backends, link);
    await waitForState(tenantId, id, 'published');
    expect(await countStored(link)).toBe(1);
    const { given } = openConsumer(backends, await openLink(backends.nats, 'projector'), ack);
    await waitForState(tenantId, id, 'done');
    expect(given.map((one) => one.id)).toEqual([id]);
  });

  it('whose message comes twice after the broker forgot its id has one effect: the inbox knows it [W6 W8]', async () => {
    const tenantId = randomUUID();
    const link = await openLink(backends.nats, 'ingest');
    const { effects, handle } = createEffect();
    const { given } = openConsumer(backends, await openLink(backends.nats, 'projector'), handle);
    const id = await publish(backends, tenantId);
    const data = { tenantId, sessionId: randomUUID(), attachmentId: randomUUID() };
    for (const [position, msgID] of [`${id}.0`, `${id}.late`].entries()) {
      const payload = JSON.stringify({ id, tenantId, data });
      await jetstream(link.nc).publish('attache.work.projector.attachment.added', payload, { msgID });
      await vi.waitUntil(() => given.length === position + 1, WAIT);
      await waitForState(tenantId, id, 'done');
      await vi.waitUntil(async () => (await countStored(link)) === 0, WAIT);
    }
    expect(effects).toEqual([id]);
  });

  it('emits again, under a new message id, what the broker acknowledged and lost [W7]', async () => {
    const tenantId = randomUUID();
    const link = await openLink(backends.nats, 'ingest');
    openRelay(backends, link, { reconcileAfterMs: 400 });
    const id = await publish(backends, tenantId);
    await waitForState(tenantId, id, 'published');
    await link.jsm.streams.purge(WORK_STREAM);
    await vi.waitUntil(async () => (await countStored(link)) > 0, WAIT);
    const { state } = await link.jsm.streams.info(WORK_STREAM);
    const stored = await link.jsm.streams.getMessage(WORK_STREAM, { seq: state.first_seq });
    expect(stored?.header.get('Nats-Msg-Id')).toBe(`${id}.1`);
    const { given } = openConsumer(backends, await openLink(backends.nats, 'projector'), ack);
    await waitForState(tenantId, id, 'done');
    expect(new Set(given.map((one) => one.id))).toEqual(new Set([id]));
  });

  it('gives no tenant more than its window, so that another tenant is not kept waiting [W11]', async () => {
    const [busy, quiet] = [randomUUID(), randomUUID()];
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    openRelay(backends, await openLink(backends.nats, 'ingest'), { windowPerTenant: 8 });
    const handle = async () => {
      await opened;
      return { as: 'ack' } as const;
    };
    const { given } = openConsumer(backends, await openLink(backends.nats, 'projector'), handle, { concurrency: 2 });
    await Promise.all(Array.from({ length: 500 }, () => publish(backends, busy)));
    await vi.waitUntil(() => given.length === 2, WAIT);
    const id = await publish(backends, quiet);
    await waitForState(quiet, id, 'published');
    open();
    await vi.waitUntil(() => given.length === 501, WAIT);
    expect(given.findIndex(({ tenantId }) => tenantId === quiet)).toBeLessThanOrEqual(8);
    expect(new Set(given.map((one) => one.id)).size).toBe(501);
  });

  it('keeps all in the outbox while NATS is down, and brings it once when it is back [W13]', async () => {
    const tenantId = randomUUID();
    const relay = openRelay(backends, await openLink(backends.nats, 'ingest'));
    const { effects, handle } = createEffect();
    openConsumer(backends, await openLink(backends.nats, 'projector'), handle);
    await backends.nats.kill();
    const ids: string[] = [];
    for (let count = 0; count < 40; count += 1) ids.push(await publish(backends, tenantId));
    const backlog = await relay.readBacklog();
    expect(backlog).toMatchObject({ waiting: 40, published: 0 });
    expect(backlog.oldestMs).toBeGreaterThanOrEqual(0);
    await backends.nats.start();
    for (const id of ids) await waitForState(tenantId, id, 'done');
    expect(effects.toSorted()).toEqual(ids.toSorted());
    expect(await relay.readBacklog()).toEqual({ waiting: 0, oldestMs: 0, published: 0 });
  });

  it('loses and doubles nothing when NATS is killed five times while it publishes [W6 W7 W13]', async () => {
    const tenantId = randomUUID();
    openRelay(backends, await openLink(backends.nats, 'ingest'), { reconcileAfterMs: 2_000 });
    const { effects, handle } = createEffect();
    openConsumer(backends, await openLink(backends.nats, 'projector'), handle);
    const ids: string[] = [];
    let isEnough = false;
    const publishing = (async () => {
      while (!isEnough) ids.push(await publish(backends, tenantId));
    })();
    for (let kill = 0; kill < 5; kill += 1) {
      const before = effects.length;
      await vi.waitUntil(() => effects.length > before + 20, WAIT);
      await backends.nats.kill();
      await backends.nats.start();
    }
    isEnough = true;
    await publishing;
    await vi.waitUntil(() => effects.length === ids.length, WAIT);
    expect(effects.toSorted()).toEqual(ids.toSorted());
    await vi.waitUntil(async () => {
      const states = Object.values(await readStates(backends, tenantId));
      return states.every((state) => state === 'done');
    }, WAIT);
  });
});
