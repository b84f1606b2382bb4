import { randomUUID } from 'node:crypto';
import { type Announced, insertOutboxMessage } from '@attache/database';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Backends,
  type Given,
  missing,
  openConsumer,
  openLink,
  openRelay,
  openRinging,
  readStates,
  startBackends,
} from '../../../contract/jetstream-backends.contract.ts';
import type { Settlement } from '../../event-bus.ts';
import { createRings, FALLBACK_MS } from './rings.ts';

const WAIT = { timeout: 60_000, interval: 10 };

let backends: Backends;

/** A gateway with an incarnation of its own, for all tenants or one. */
async function openGateway(handle: (given: Given) => Promise<Settlement>, onlyTenant?: string) {
  const link = await openLink(backends.nats, 'runner-gateway');
  const incarnation = randomUUID();
  const options = {
    consumer: 'runner-gateway',
    rings: createRings(link),
    address: { incarnation, onlyTenant },
  } as const;
  const { given, early, heads } = openConsumer(backends, link, handle, options);
  await link.nc.flush();
  return { incarnation, given, early, heads };
}

const blobs = [{ key: 'one', sizeBytes: 7 }];

const newData = (tenantId: string) => ({
  ...{ tenantId, sessionId: randomUUID(), deliveryId: randomUUID(), agentId: randomUUID() },
});

async function openRinger() {
  const { rings, link, close } = await openRinging(backends);
  onTestFinished(close);
  return {
    async ringEarly(owner: string) {
      const data = newData(randomUUID());
      rings.ringEarly({ owner, data, blobs });
      await link.nc.flush();
      return data;
    },
    async ring(tenantId: string, owner?: string, head?: unknown): Promise<string> {
      const id = randomUUID();
      const data = newData(tenantId);
      expect(rings.ring({ id, subject: 'delivery.prepared', data, owner, head } satisfies Announced)).toBe(true);
      await link.nc.flush();
      return id;
    },
  };
}

const ack = async (): Promise<Settlement> => ({ as: 'ack' });
const idsOf = (given: readonly Given[]) => given.map(({ id }) => id);

describe.skipIf(missing)(missing ? `rings for owners: ${missing}` : 'rings for owners', () => {
  beforeAll(async () => {
    backends = await startBackends();
  });
  afterAll(() => backends.stop());

  it('bring what they are about, and are heard early by the owner alone, who has nothing to handle then', async () => {
    const [owner, other] = [await openGateway(ack), await openGateway(ack)];
    const { ring, ringEarly } = await openRinger();
    const data = await ringEarly(owner.incarnation);
    const head = { row: { id: data.deliveryId } };
    await ring(randomUUID(), owner.incarnation, head);
    await vi.waitUntil(() => owner.given.length === 1, WAIT);
    expect([owner.early, owner.heads]).toEqual([[{ data, blobs }], [head]]);
    expect([other.early, other.given]).toEqual([[], []]);
  });

  it('reach the gateway that owns the session and no other; unowned, one of them', async () => {
    const gateways = [await openGateway(ack), await openGateway(ack), await openGateway(ack)];
    const { ring } = await openRinger();
    for (const { incarnation, given } of gateways) {
      const owned = [await ring(randomUUID(), incarnation), await ring(randomUUID(), incarnation)];
      await vi.waitUntil(() => given.length === 2, WAIT);
      expect(idsOf(given)).toEqual(owned);
    }
    const unowned = await Promise.all(Array.from({ length: 60 }, () => ring(randomUUID())));
    const all = () => gateways.flatMap(({ given }) => idsOf(given).slice(2));
    await vi.waitUntil(() => all().length >= unowned.length, WAIT);
    expect(all().toSorted()).toEqual(unowned.toSorted());
  });

  it('for an unowned session reach no gateway that does not serve its tenant', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const pinned = await openGateway(ack, one);
    const { ring } = await openRinger();
    await ring(other);
    const own = await Promise.all(Array.from({ length: 20 }, () => ring(one)));
    await vi.waitUntil(() => pinned.given.length >= own.length, WAIT);
    expect(pinned.given.map(({ tenantId }) => tenantId)).toEqual(own.map(() => one));
    const free = await openGateway(ack);
    const foreign = await ring(other);
    await vi.waitUntil(() => free.given.length === 1, WAIT);
    expect(idsOf(free.given)).toEqual([foreign]);
  });

  it('that come to the wrong gateway are passed on to the owner at once, which nobody defers', async () => {
    const owner = await openGateway(ack);
    const wrong = await openGateway(async () => ({ as: 'elsewhere', owner: owner.incarnation }));
    const { ring } = await openRinger();
    const ids = await Promise.all(Array.from({ length: 20 }, () => ring(randomUUID(), wrong.incarnation)));
    await vi.waitUntil(() => owner.given.length === ids.length, WAIT);
    expect(idsOf(owner.given).toSorted()).toEqual(ids.toSorted());
  });

  it('do not go round and round between gateways that do not find the owner', async () => {
    const gateways: Awaited<ReturnType<typeof openGateway>>[] = [];
    const elsewhere = (index: number) => async () =>
      ({ as: 'elsewhere', owner: gateways[1 - index]?.incarnation }) as const;
    gateways.push(await openGateway(elsewhere(0)), await openGateway(elsewhere(1)));
    const { ring } = await openRinger();
    // The later one takes the way that the first one would have taken further.
    for (const count of [1, 2]) {
      const id = await ring(randomUUID(), gateways[0]?.incarnation);
      const all = () => gateways.flatMap(({ given }) => idsOf(given));
      await vi.waitUntil(() => all().filter((given) => given === id).length >= 4, WAIT);
      expect(gateways.map(({ given }) => given.length)).toEqual([2 * count, 2 * count]);
    }
  });

  it('are rung for a message that the broker brought to the wrong gateway, which waits on in case that they are lost', async () => {
    const owner = await openGateway(ack);
    const settled = vi.fn();
    await openGateway(async () => {
      settled();
      return { as: 'elsewhere', owner: owner.incarnation };
    });
    openRelay(backends, await openLink(backends.nats, 'projector'));
    const { db, doorbells } = backends;
    const tenantId = randomUUID();
    const ids = Array.from({ length: 30 }, () => randomUUID());
    for (const id of ids) {
      const data = { tenantId, sessionId: randomUUID(), deliveryId: randomUUID(), agentId: randomUUID() };
      await insertOutboxMessage(db, { id, subject: 'delivery.prepared', data });
    }
    doorbells.ring(['outbox:delivery.prepared']);
    const began = performance.now();
    await vi.waitUntil(() => owner.given.length >= ids.length, WAIT);
    await vi.waitUntil(async () => {
      const states = await readStates(backends, tenantId);
      return ids.every((id) => states[id] === 'done');
    }, WAIT);
    const attempts = owner.given.map(({ attempt }) => attempt);
    expect({ attempts: new Set(attempts), passedOn: settled.mock.calls.length > 0 }).toEqual({
      attempts: new Set([1]),
      passedOn: true,
    });
    process.stdout.write(
      `rings: passed on ${settled.mock.calls.length} of ${ids.length}, all had in ${Math.round(performance.now() - began)} of ${FALLBACK_MS} ms\n`,
    );
  });
});
