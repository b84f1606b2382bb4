import { randomUUID } from 'node:crypto';
import { Fault } from '@attache/contracts';
import { type Database, findSession, markHandled, replayDeadLetter } from '@attache/database';
import type { Msg, NatsConnection } from '@nats-io/nats-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  ACK_WAIT_MS,
  ack,
  type Backends,
  DYING_ACK_WAIT_MS,
  type Given,
  missing,
  openConsumer,
  openLink,
  openRelay,
  publish,
  readDead,
  readStates,
  startBackends,
} from '../../contract/jetstream-backends.contract.ts';
import type { JetstreamLink } from './link.ts';
import { ADVISORY_STREAM, WORK_STREAM } from './topology.ts';
import { words } from './words.ts';

// Longer than the broker waits by default here: a busy machine may keep this process from saying that it still works.
const WORK_ACK_WAIT_MS = 2 * ACK_WAIT_MS;
const WAIT = { timeout: 60_000, interval: 20 };

let backends: Backends;

const waitForState = (tenantId: string, id: string, state: string) =>
  vi.waitUntil(async () => (await readStates(backends, tenantId))[id] === state, WAIT);

const countStored = async ({ jsm }: JetstreamLink) => (await jsm.streams.info(WORK_STREAM)).state.messages;

async function openBoth(ackWaitMs?: number) {
  const ingest = await openLink(backends.nats, 'ingest');
  const projector = await openLink(backends.nats, 'projector', ackWaitMs);
  openRelay(backends, ingest);
  return projector;
}

/** The database of a process that may be away for all that it is asked. */
function goAway(db: Database, isAway: () => boolean): Database {
  const orOutage = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isAway()) throw new Fault('DATABASE_UNAVAILABLE', 'It does not answer. Try again.', { retryable: true });
    return work();
  };
  return {
    ...db,
    call: (statement, options) => orOutage(() => db.call(statement, options)),
    checkReady: () => orOutage(() => db.checkReady()),
  };
}

/** The database of a process that is dead from some time on. */
function dieWith(db: Database, isDead: () => boolean): Database {
  return {
    ...db,
    async call(statement, options) {
      if (isDead()) throw new Error('this process is dead');
      return db.call(statement, options);
    },
  };
}

/** The connection of a process whose replies to the broker arrive only if the filter lets them through. */
function filterWords(link: JetstreamLink, isLetThrough: (word: string) => boolean): JetstreamLink {
  const filter = (message: Msg): Msg =>
    new Proxy(message, {
      get(target, name) {
        if (name === 'respond') return (word: string) => isLetThrough(word) && target.respond(word);
        return Reflect.get(target, name);
      },
    });
  const subscribe: NatsConnection['subscribe'] = (subject, options) =>
    link.nc.subscribe(subject, {
      ...options,
      callback: (error, message) => options?.callback?.(error, error ? message : filter(message)),
    });
  const nc = new Proxy(link.nc, {
    get(target, name) {
      if (name === 'subscribe') return subscribe;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...link, nc };
}

/** The connection of a process whose acknowledgements get lost. */
const loseAcks = (link: JetstreamLink): JetstreamLink => filterWords(link, (word) => word !== words.ack);

describe.skipIf(missing)(missing ? `consumer: ${missing}` : 'consumer', () => {
  beforeAll(async () => {
    backends = await startBackends();
  });
  afterAll(() => backends.stop());

  it('settles a message for good whose acknowledgement was lost, and is not given it again [W8]', async () => {
    const tenantId = randomUUID();
    const link = await openBoth();
    const firsts: boolean[] = [];
    const handle = async (given: Given) => {
      firsts.push(await backends.db.asTenant(tenantId, (tx) => markHandled(tx, given.id, 'projector')));
      return { as: 'ack' } as const;
    };
    const deaf = openConsumer(backends, loseAcks(link), handle, { concurrency: 1 });
    const id = await publish(backends, tenantId);
    await waitForState(tenantId, id, 'done');
    await deaf.stop();
    expect(await countStored(link)).toBe(1);
    const { given } = openConsumer(backends, link, handle);
    await vi.waitUntil(async () => (await countStored(link)) === 0, WAIT);
    expect(given).toEqual([]);
    expect(firsts).toEqual([true]);
  });

  it('does not settle a message by the repetition of an emission after which it was put back [W8 W10]', async () => {
    const tenantId = randomUUID();
    const link = await openBoth();
    const { given } = openConsumer(backends, loseAcks(link), async ({ attempt }) =>
      // The broker repeats the first emission several times before the next one is due.
      attempt === 1 ? { as: 'retry', delayMs: 5 * ACK_WAIT_MS } : { as: 'ack' },
    );
    const id = await publish(backends, tenantId);
    await waitForState(tenantId, id, 'done');
    expect(given.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('keeps a message for as long as it works on it, and has no more of them than it works on [W11]', async () => {
    const tenantId = randomUUID();
    const link = await openBoth(WORK_ACK_WAIT_MS);
    const pending: number[] = [];
    let inWork = 0;
    let most = 0;
    const handle = async () => {
      inWork += 1;
      most = Math.max(most, inWork);
      await new Promise((resolve) => setTimeout(resolve, 1.5 * WORK_ACK_WAIT_MS));
      pending.push((await link.jsm.consumers.info(WORK_STREAM, 'projector')).num_ack_pending);
      inWork -= 1;
      return { as: 'ack' } as const;
    };
    const { given } = openConsumer(backends, link, handle, { concurrency: 2 });
    const ids: string[] = [];
    for (let count = 0; count < 10; count += 1) ids.push(await publish(backends, tenantId));
    for (const id of ids) await waitForState(tenantId, id, 'done');
    expect(given.map(({ id, attempt }) => [id, attempt]).toSorted()).toEqual(ids.map((id) => [id, 1]).toSorted());
    expect(most).toBe(2);
    // Messages that are being settled count until the broker knows of it, and are bounded too.
    expect(Math.max(...pending)).toBeLessThanOrEqual(8);
  });

  it('that dies with every attempt is not given a sixth: the message is dead before [W10]', async () => {
    const tenantId = randomUUID();
    await openBoth(DYING_ACK_WAIT_MS);
    const attempts: number[] = [];
    let isDead = false;
    // Each life ends in its handler, as by a kill: the broker gets no reply about the message.
    const live = async () => {
      const link = await openLink(backends.nats, 'projector', DYING_ACK_WAIT_MS);
      const { promise: taken, resolve: take } = Promise.withResolvers<void>();
      const die = async ({ attempt }: Given) => {
        attempts.push(attempt);
        await link.nc.close();
        take();
        return { as: 'ack' } as const;
      };
      openConsumer({ ...backends, db: dieWith(backends.db, () => attempts.length > lives) }, link, die);
      const lives = attempts.length;
      await Promise.race([taken, waitForState(tenantId, id, 'dead').then(() => (isDead = true))]);
    };
    const id = await publish(backends, tenantId);
    while (!isDead) await live();
    expect(attempts).toEqual([1, 2, 3, 4, 5]);
    expect(await readDead(backends, tenantId)).toEqual([
      { id, consumer: 'projector', reason: 'not settled in 5 attempts', attempts: 5 },
    ]);
  });

  it('that dies of one message again and again takes no other with it that it had in work [W10]', async () => {
    const tenantId = randomUUID();
    await openBoth(DYING_ACK_WAIT_MS);
    const deadly = await publish(backends, tenantId);
    const others = [await publish(backends, tenantId), await publish(backends, tenantId)];
    const isDone = async () => {
      const states = await readStates(backends, tenantId);
      return states[deadly] === 'dead' && others.every((id) => states[id] === 'done');
    };
    const live = async () => {
      const link = await openLink(backends.nats, 'projector', DYING_ACK_WAIT_MS);
      const { promise: died, resolve } = Promise.withResolvers<void>();
      let isDead = false;
      const handle = async ({ id }: Given) => {
        // The others take longer than the deadly one does to kill all.
        await new Promise((wake) => setTimeout(wake, id === deadly ? 50 : 300));
        if (id === deadly) {
          isDead = true;
          await link.nc.close();
          resolve();
        }
        return { as: 'ack' } as const;
      };
      openConsumer({ ...backends, db: dieWith(backends.db, () => isDead) }, link, handle);
      await Promise.race([died, vi.waitUntil(isDone, WAIT)]);
    };
    for (let lives = 0; lives < 20 && !(await isDone()); lives += 1) await live();
    const dead = await readDead(backends, tenantId);
    expect(dead.map(({ id }) => id)).toEqual([deadly]);
    expect(await isDone()).toBe(true);
  });

  it('holds a message while the database is away, for however long, and counts nothing [W10 W15]', async () => {
    const tenantId = randomUUID();
    let heldCount = 0;
    const link = filterWords(await openBoth(), (word) => {
      if (word === words.working) heldCount += 1;
      return true;
    });
    let isAway = false;
    const db = goAway(backends.db, () => isAway);
    const attempts: number[] = [];
    const { stop } = openConsumer({ ...backends, db }, link, async ({ attempt }) => {
      attempts.push(attempt);
      isAway = attempts.length < 3;
      if (isAway) throw new Fault('DATABASE_UNAVAILABLE', 'It does not answer. Try again.', { retryable: true });
      return { as: 'ack' };
    });
    const id = await publish(backends, tenantId);
    for (const outage of [1, 2]) {
      await vi.waitUntil(() => attempts.length === outage && isAway, WAIT);
      // It says three times within the time that the broker waits for a word that it still has the message.
      const enough = heldCount + 12;
      await vi.waitUntil(() => heldCount >= enough, WAIT);
      expect(attempts).toHaveLength(outage);
      isAway = false;
    }
    await waitForState(tenantId, id, 'done');
    expect(attempts).toEqual([1, 1, 1]);
    await stop();
  });

  it('that ends a message has its dead letter first, and the word of the broker is kept [W10]', async () => {
    const tenantId = randomUUID();
    const link = await openBoth();
    openConsumer(backends, link, async () => ({ as: 'term', reason: 'no such row' }));
    const id = await publish(backends, tenantId);
    await waitForState(tenantId, id, 'dead');
    expect(await readDead(backends, tenantId)).toMatchObject([{ id, reason: 'no such row' }]);
    await vi.waitUntil(async () => {
      const { state } = await link.jsm.streams.info(ADVISORY_STREAM);
      const last = await link.jsm.streams.getMessage(ADVISORY_STREAM, { seq: state.last_seq });
      return last?.subject.includes('.MSG_TERMINATED.') && last.json<{ reason: string }>().reason === 'no such row';
    }, WAIT);
  });

  it('finds nothing to do in a dead letter that is replayed after its session was erased, and acknowledges it', async () => {
    const tenantId = randomUUID();
    const link = await openBoth();
    let isErased = false;
    const handle = async ({ id }: Given) => {
      if (!isErased) throw new Fault('INVALID_REQUEST', 'No.');
      const session = await backends.db.asTenant(tenantId, (tx) => findSession(tx, id));
      return session ? ({ as: 'term', reason: 'it is there' } as const) : ({ as: 'ack' } as const);
    };
    const { given } = openConsumer(backends, link, handle);
    const id = await publish(backends, tenantId);
    await waitForState(tenantId, id, 'dead');
    isErased = true;
    expect(await replayDeadLetter(backends.db, { tenantId, id, consumer: 'projector' })).toBe('replayed');
    await waitForState(tenantId, id, 'done');
    expect(given).toHaveLength(2);
    expect(await readDead(backends, tenantId)).toHaveLength(1);
  });

  it('continues by itself after a restart of the server, and when stream and consumer are gone [W7 W13]', async () => {
    const tenantId = randomUUID();
    const ingest = await openLink(backends.nats, 'ingest');
    openRelay(backends, ingest, { reconcileAfterMs: 1_000 });
    const link = await openLink(backends.nats, 'projector');
    openConsumer(backends, link, ack);
    await backends.nats.kill();
    await backends.nats.start();
    await waitForState(tenantId, await publish(backends, tenantId), 'done');
    await ingest.jsm.streams.delete(WORK_STREAM);
    await waitForState(tenantId, await publish(backends, tenantId), 'done');
    expect(Object.values(await readStates(backends, tenantId))).toEqual(['done', 'done']);
  });
});
