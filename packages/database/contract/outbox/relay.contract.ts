import type { Subject } from '@attache/contracts';
import { and, eq } from 'drizzle-orm';
import { v7 as uuidV7 } from 'uuid';
import { expect, it, vi } from 'vitest';
import type { Database } from '../../src/database.ts';
import { deferMessage, pruneOutbox } from '../../src/outbox/outbox-queue.ts';
import { insertOutboxMessage } from '../../src/outbox/outbox-writer.ts';
import {
  claimForRelay,
  countAttempt,
  markPublished,
  type RelayMessage,
  readBacklog,
  reconcileOutbox,
  returnClaims,
  settleDone,
  touchPublished,
} from '../../src/outbox/relay-queue.ts';
import { outbox } from '../../src/schema.ts';
import { createPlace, type Place } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const subject: Subject = 'agent.removed';
const HOUR_MS = 3_600_000;

async function publish(db: Database, place: Place): Promise<string> {
  const id = uuidV7();
  const { tenantId, sessionId, agentId } = place;
  await insertOutboxMessage(db, { id, subject, data: { tenantId, sessionId, agentId } });
  return id;
}

/** Claims as a relay; answers this tenant's, since other tests leave messages too. */
async function claim(
  db: Database,
  { tenantId }: Place,
  options: { leaseMs?: number; windowPerTenant?: number } = {},
): Promise<RelayMessage[]> {
  const all = { subjects: [subject], limit: 1000, leaseMs: HOUR_MS, windowPerTenant: 100, ...options };
  const { messages } = await claimForRelay(db, all);
  return messages.filter((message) => message.tenantId === tenantId);
}

const readRow = (db: Database, { tenantId }: Place, id: string) =>
  db.asWorker(async (tx) => {
    const [row] = await tx
      .select()
      .from(outbox)
      .where(and(eq(outbox.tenantId, tenantId), eq(outbox.id, id)));
    return row;
  });

/** The outbox as a relay sees it. */
export function describeRelay(suite: DatabaseSuite): void {
  describeClaims(suite);
  describeWindow(suite);
  describeMarks(suite);
  describeReconciler(suite);
}

function describeClaims({ useDb }: DatabaseSuite): void {
  it('gives a message to one of many relays that claim at once, oldest first', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const published: string[] = [];
    for (let count = 0; count < 9; count += 1) published.push(await publish(db, place));
    const claims = await Promise.all(Array.from({ length: 5 }, () => claim(db, place)));
    expect(
      claims
        .flat()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(published.toSorted());
    for (const claimed of claims) {
      const order = claimed.map(({ id }) => published.indexOf(id));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
  });

  it('gives it to another when its lease ends, under the same emission, and at once when it is returned [W6 W13]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const id = await publish(db, place);
    const [first] = await claim(db, place, { leaseMs: 5 });
    expect(first).toMatchObject({ id, emission: 0, subject, data: { tenantId: place.tenantId } });
    const again = await vi.waitUntil(async () => (await claim(db, place))[0], { timeout: 60_000, interval: 2 });
    expect(again).toMatchObject({ id, emission: 0 });
    expect(await claim(db, place)).toEqual([]);
    await returnClaims(db, [again]);
    expect(await claim(db, place)).toMatchObject([{ id, emission: 0 }]);
  });

  it('claims no subject but those asked for, and no more than the limit', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await publish(db, place);
    const options = { limit: 1000, leaseMs: 1, windowPerTenant: 100 };
    const other = await claimForRelay(db, { ...options, subjects: ['session.ended', 'delivery.stopped'] });
    expect(other.messages.filter(({ tenantId }) => tenantId === place.tenantId)).toEqual([]);
    await publish(db, place);
    expect((await claimForRelay(db, { ...options, subjects: [subject], limit: 1 })).messages).toHaveLength(1);
  });
}

function describeWindow({ useDb }: DatabaseSuite): void {
  it('lets no more of a tenant out than its window, claimed and published ones counted, and gives others their turn [W11]', async () => {
    const db = useDb();
    const [busy, quiet] = [await createPlace(db), await createPlace(db)];
    for (let count = 0; count < 12; count += 1) await publish(db, busy);
    const id = await publish(db, quiet);
    const options = { subjects: [subject], limit: 1000, leaseMs: HOUR_MS, windowPerTenant: 4 };
    const first = await claimForRelay(db, options);
    const ownOf = (place: Place) => first.messages.filter(({ tenantId }) => tenantId === place.tenantId);
    expect(first.isHeld).toBe(true);
    expect(ownOf(busy)).toHaveLength(4);
    expect(ownOf(quiet).map((message) => message.id)).toEqual([id]);
    // Tenants in turn: the quiet one's comes before the busy one's second.
    const turns = first.messages.filter((message) => [...ownOf(busy), ...ownOf(quiet)].includes(message));
    expect(turns.findIndex((message) => message.id === id)).toBeLessThan(2);
    expect(await claim(db, busy, { windowPerTenant: 4 })).toEqual([]);
    await markPublished(db, ownOf(busy).slice(0, 3));
    expect(await claim(db, busy, { windowPerTenant: 4 })).toEqual([]);
    // Settled messages make room, and the process that settles them learns which subjects wait for it.
    expect(await settleDone(db, ownOf(busy).slice(0, 2))).toEqual([subject]);
    expect(await claim(db, busy, { windowPerTenant: 4 })).toHaveLength(2);
    expect(await settleDone(db, ownOf(quiet))).toEqual([]);
  });
}

function describeMarks({ useDb }: DatabaseSuite): void {
  it('does not bring back what was settled before it was marked [W6]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const id = await publish(db, place);
    const [claimed] = await claim(db, place);
    expect(await settleDone(db, [{ tenantId: place.tenantId, id }])).toEqual([]);
    await markPublished(db, claimed ? [claimed] : []);
    expect(await readRow(db, place, id)).toMatchObject({ state: 'done', publishedAt: null });
  });

  it('puts back what a consumer could not handle, as the next emission, with the attempts that count [W10 W15]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId } = place;
    const id = await publish(db, place);
    const rounds = [
      { emission: 0, before: 0, attempts: 0 },
      { emission: 1, before: 0, attempts: 1 },
      { emission: 2, before: 1, attempts: 0 },
    ] as const;
    for (const { emission, before, attempts } of rounds) {
      const claimed = await claim(db, place);
      expect(claimed).toMatchObject([{ id, emission, attempts: before }]);
      // One of them before the relay has marked it.
      if (emission !== 1) await markPublished(db, claimed);
      expect(await deferMessage(db, { tenantId, id, emission, attempts, delayMs: 0 })).toBe(0);
      // If the answer was lost, repeating the call changes nothing.
      expect(await deferMessage(db, { tenantId, id, emission, attempts, delayMs: 0 })).toBeNull();
      await markPublished(db, claimed);
    }
    expect(await readRow(db, place, id)).toMatchObject({ state: 'waiting', emission: 3, deferrals: 3, attempts: 1 });
  });

  it('counts the attempts of a message that a broker brings again, of the newest emission that is not settled [W10]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId } = place;
    const id = await publish(db, place);
    await markPublished(db, await claim(db, place));
    const count = (before: number, emission?: number) => countAttempt(db, { tenantId, id, emission, before });
    // The first one of the emission was not counted when it began.
    expect(await count(0, 0)).toBe(2);
    expect(await count(0, 0)).toBe(3);
    expect(await count(0)).toBe(4);
    expect(await count(0, 1)).toBeNull();
    await deferMessage(db, { tenantId, id, emission: 0, attempts: 0, delayMs: 0 });
    const [again] = await claim(db, place);
    expect(again).toMatchObject({ emission: 1, attempts: 4 });
    expect(await count(4, 1)).toBe(6);
    await settleDone(db, [{ tenantId, id }]);
    expect(await count(4, 1)).toBeNull();
  });

  it('keeps what is with the broker when old messages are pruned, and counts it', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [id] = [await publish(db, place)];
    const before = await readBacklog(db, [subject]);
    expect(before.waiting).toBeGreaterThan(0);
    expect(before.oldestMs).toBeGreaterThanOrEqual(0);
    await markPublished(db, await claim(db, place));
    const after = await readBacklog(db, [subject]);
    expect(after.published).toBe(before.published + 1);
    expect(after.waiting).toBe(before.waiting - 1);
    await pruneOutbox(db, { olderThanMs: -HOUR_MS, limit: 10_000 });
    expect(await readRow(db, place, id)).toMatchObject({ state: 'published' });
    expect(await readBacklog(db, [])).toEqual({ waiting: 0, oldestMs: 0, published: 0 });
  });
}

function describeReconciler({ useDb }: DatabaseSuite): void {
  const age = (db: Database, { tenantId }: Place, ageMs: number) =>
    db.asWorker((tx) =>
      tx
        .update(outbox)
        .set({ publishedAt: new Date(Date.now() - ageMs) })
        .where(and(eq(outbox.tenantId, tenantId), eq(outbox.state, 'published'))),
    );

  it('emits again what was published and not settled in time, under the next emission, each time after twice as long [W7]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const id = await publish(db, place);
    await markPublished(db, await claim(db, place));
    const reconcile = () => reconcileOutbox(db, { subjects: [subject], afterMs: 60_000 });
    await age(db, place, 50_000);
    await reconcile();
    expect(await claim(db, place)).toEqual([]);
    await age(db, place, 70_000);
    expect(await reconcileOutbox(db, { subjects: ['session.ended'], afterMs: 60_000 })).toBe(0);
    expect(await reconcile()).toBeGreaterThan(0);
    const [again] = await claim(db, place);
    expect(again).toMatchObject({ id, emission: 1 });
    await markPublished(db, again ? [again] : []);
    await age(db, place, 70_000);
    await reconcile();
    expect(await claim(db, place)).toEqual([]);
    await age(db, place, 130_000);
    await reconcile();
    expect(await claim(db, place)).toMatchObject([{ id, emission: 2 }]);
  });

  it('gives what a consumer put back no more time to get lost in than what was given out once [W7]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId } = place;
    const id = await publish(db, place);
    for (let emission = 0; emission < 4; emission += 1) {
      await markPublished(db, await claim(db, place));
      await deferMessage(db, { tenantId, id, emission, attempts: 0, delayMs: 0 });
    }
    await markPublished(db, await claim(db, place));
    await age(db, place, 70_000);
    await reconcileOutbox(db, { subjects: [subject], afterMs: 60_000 });
    expect(await claim(db, place)).toMatchObject([{ id, emission: 5 }]);
  });

  it('leaves alone what a consumer says it works on, and a late mark of the emission before [W7 W11]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const id = await publish(db, place);
    const claimed = await claim(db, place);
    await markPublished(db, claimed);
    await age(db, place, HOUR_MS);
    await touchPublished(db, { tenantId: place.tenantId, id });
    await reconcileOutbox(db, { subjects: [subject], afterMs: 60_000 });
    expect(await readRow(db, place, id)).toMatchObject({ state: 'published', emission: 0 });
    await age(db, place, HOUR_MS);
    await reconcileOutbox(db, { subjects: [subject], afterMs: 60_000 });
    await markPublished(db, claimed);
    expect(await readRow(db, place, id)).toMatchObject({ state: 'waiting', emission: 1 });
  });
}
