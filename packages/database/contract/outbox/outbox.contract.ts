import { randomUUID } from 'node:crypto';
import { withSpan } from '@attache/telemetry';
import { eq, sql } from 'drizzle-orm';
import { v7 as uuidV7 } from 'uuid';
import { expect, it, vi } from 'vitest';
import { runStatement } from '../../src/connection/run-statement.ts';
import type { Database } from '../../src/database.ts';
import { buryMessage } from '../../src/dead-letters/bury-message.ts';
import { markHandled } from '../../src/outbox/inbox-writer.ts';
import {
  type ClaimedMessage,
  claimMessages,
  type Deferral,
  deferMessage,
  extendClaims,
  pruneOutbox,
  releaseClaims,
} from '../../src/outbox/outbox-queue.ts';
import { addToOutbox, insertOutboxMessage } from '../../src/outbox/outbox-writer.ts';
import { settleDone } from '../../src/outbox/relay-queue.ts';
import { deadLetter, outbox } from '../../src/schema.ts';
import { createPlace, createTenant, type Place } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const subjects = ['session.ended'];
const HOUR_MS = 3_600_000;

async function publish(db: Database, place: Place): Promise<string> {
  const id = uuidV7();
  const { tenantId, sessionId } = place;
  await insertOutboxMessage(db, { id, subject: 'session.ended', data: { tenantId, sessionId } });
  return id;
}

/** Claims all that waits; answers this tenant's, since other tests leave messages too. */
async function claim(db: Database, { tenantId }: Place, leaseMs = HOUR_MS): Promise<ClaimedMessage[]> {
  const claimed = await claimMessages(db, { subjects, limit: 1000, leaseMs });
  return claimed.filter((message) => message.tenantId === tenantId);
}

const settle = (db: Database, { tenantId }: Place, id: string) => settleDone(db, [{ tenantId, id }]);

const defer = (db: Database, { tenantId }: Place, id: string, deferral: Partial<Deferral>) =>
  deferMessage(db, { tenantId, id, attempts: 0, ...deferral });

const bury = (db: Database, { tenantId, sessionId }: Place, id: string, reason: string) =>
  buryMessage(
    db,
    { tenantId, id, consumer: 'runner-gateway', subject: 'session.ended', data: { tenantId, sessionId } },
    { reason, attempts: 1 },
  );

/** The outbox as a queue, and the inbox. */
export function describeOutbox(suite: DatabaseSuite): void {
  describeClaiming(suite);
  describeSettling(suite);
  describeInbox(suite);
  describePruning(suite);
}

function describeClaiming({ useDb }: DatabaseSuite): void {
  it('shows a message as soon as its transaction is committed, and not before [AT-02]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId, sessionId } = place;
    const failed = db.asTenant(tenantId, async (tx) => {
      await addToOutbox(tx, 'session.ended', { tenantId, sessionId });
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await claim(db, place)).toEqual([]);
    const traceparent = await withSpan({ name: 'end session', parent: 'root' }, async (span) => {
      await db.asTenant(tenantId, (tx) => addToOutbox(tx, 'session.ended', { tenantId, sessionId }));
      return span.spanContext().traceId;
    });
    const [message, ...others] = await claim(db, place);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ subject: 'session.ended', data: { tenantId, sessionId }, attempt: 1 });
    // Without a running SDK a span has no valid context, and none is kept.
    if (message?.trace) expect(message.trace.traceparent).toContain(traceparent);
  });

  it('shows a message in the instant it was made, although times are stored rounded to milliseconds', async () => {
    const db = useDb();
    const place = await createPlace(db);
    for (let round = 0; round < 12; round += 1) {
      const id = randomUUID();
      const claimed = await db.asWorker(async (tx) => {
        await tx.insert(outbox).values({ tenantId: place.tenantId, id, subject: 'session.ended', data: {} });
        return runStatement<ClaimedMessage[]>(
          tx,
          sql`select attache_claim_messages(${JSON.stringify({ subjects, limit: 1000, again: 1000, leaseMs: HOUR_MS })}::jsonb)`,
        );
      });
      expect(claimed.map((message) => message.id)).toContain(id);
    }
  });

  it('hides a claimed message from others until the lease ends, and then counts the attempt [W6 W8]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const id = await publish(db, place);
    const both = await Promise.all([claim(db, place), claim(db, place)]);
    expect(both.flat()).toMatchObject([{ id, attempt: 1 }]);
    expect(await claim(db, place)).toEqual([]);
    await releaseClaims(db);
    expect(await claim(db, place, 5)).toMatchObject([{ id, attempt: 2 }]);
    const again = await vi.waitUntil(async () => (await claim(db, place))[0], { timeout: 60_000, interval: 2 });
    expect(again).toMatchObject({ id, attempt: 3 });
  });

  it('gives each message to one of many that claim at once, oldest first', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const published: string[] = [];
    for (let count = 0; count < 12; count += 1) published.push(await publish(db, place));
    const claims = await Promise.all(
      Array.from({ length: 6 }, () => claimMessages(db, { subjects, limit: 1000, leaseMs: HOUR_MS })),
    );
    const own = claims.map((messages) => messages.filter(({ tenantId }) => tenantId === place.tenantId));
    expect(
      own
        .flat()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(published.toSorted());
    for (const messages of own) {
      const order = messages.map(({ id }) => published.indexOf(id));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
  });

  it('gives nobody what another is claiming at this moment', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const id = await publish(db, place);
    let second: Promise<ClaimedMessage[]> | undefined;
    const first = await db.asWorker(async (tx) => {
      const claimed = await runStatement<ClaimedMessage[]>(
        tx,
        sql`select attache_claim_messages(${JSON.stringify({ subjects, limit: 1000, again: 1000, leaseMs: HOUR_MS })}::jsonb)`,
      );
      second = claim(db, place);
      // One connection can only answer after this transaction; many answer during it.
      await Promise.race([second, new Promise((resolve) => setTimeout(resolve, 30))]);
      return claimed;
    });
    expect(first.map((message) => message.id)).toContain(id);
    expect(await second).toEqual([]);
  });

  it('gives no more of those that were claimed before than is asked for, and others beside them [W10]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const claimSome = async (limit: number, again: number) => {
      const claimed = await claimMessages(db, { subjects, limit, again, leaseMs: HOUR_MS });
      return claimed.filter(({ tenantId }) => tenantId === place.tenantId).map(({ id, attempt }) => [id, attempt]);
    };
    // Claims the messages that other tests left.
    await claim(db, place);
    const [first, second] = [await publish(db, place), await publish(db, place)];
    expect(await claimSome(2, 1)).toEqual([
      [first, 1],
      [second, 1],
    ]);
    for (const id of [first, second]) await defer(db, place, id, { delayMs: 0 });
    const fresh = await publish(db, place);
    expect(await claimSome(2, 1)).toEqual([
      [first, 2],
      [fresh, 1],
    ]);
    expect(await claimSome(2, 0)).toEqual([]);
    expect(await claimSome(2, 1)).toEqual([[second, 2]]);
  });

  it('gives a consumer its subjects alone, up to its limit', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await publish(db, place);
    const other = await claimMessages(db, { subjects: ['delivery.stopped'], limit: 1000, leaseMs: 1 });
    expect(other.filter(({ tenantId }) => tenantId === place.tenantId)).toEqual([]);
    await publish(db, place);
    expect(await claimMessages(db, { subjects, limit: 1, leaseMs: HOUR_MS })).toHaveLength(1);
  });
}

function describeSettling({ useDb }: DatabaseSuite): void {
  const readDead = (db: Database, { tenantId }: Place) =>
    db.asWorker((tx) => tx.select().from(deadLetter).where(eq(deadLetter.tenantId, tenantId)));

  it('is done once settled: neither a lease nor a late settlement brings it back', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const id = await publish(db, place);
    await claim(db, place);
    await settle(db, place, id);
    expect(await defer(db, place, id, { delayMs: 0 })).toBeNull();
    expect(await bury(db, place, id, 'too late')).toEqual({ isBuried: false });
    await releaseClaims(db);
    expect(await claim(db, place)).toEqual([]);
    expect(await readDead(db, place)).toEqual([]);
  });

  it('waits again after its delay, not before', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const id = await publish(db, place);
    await claim(db, place);
    expect(await defer(db, place, id, { delayMs: HOUR_MS })).toBe(HOUR_MS);
    expect(await claim(db, place)).toEqual([]);
    expect(await defer(db, place, id, { delayMs: 0 })).toBe(0);
    expect(await claim(db, place)).toMatchObject([{ id, attempt: 2 }]);
  });

  it('takes an attempt back that an outage ended, and waits longer each time up to half a minute [W10 W15]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const id = await publish(db, place);
    const delays: (number | null)[] = [];
    for (let outage = 0; outage < 12; outage += 1) {
      expect(await claim(db, place)).toMatchObject([{ id, attempt: 1 }]);
      delays.push(await defer(db, place, id, { attempts: -1, claim: 1 }));
      // Its time is over.
      await defer(db, place, id, { attempts: 0, delayMs: 0 });
    }
    expect(delays).toEqual(delays.toSorted((a, b) => Number(a) - Number(b)));
    expect([delays[0], delays.at(-1)]).toEqual([200, 30_000]);
  });

  it('is put back by the attempt that holds it alone, and once [W6 W8]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const id = await publish(db, place);
    await claim(db, place, 5);
    await vi.waitUntil(async () => (await claim(db, place)).length > 0, { timeout: 60_000, interval: 2 });
    expect(await defer(db, place, id, { attempts: -1, claim: 1, delayMs: 0 })).toBeNull();
    expect(await claim(db, place)).toEqual([]);
    expect(await defer(db, place, id, { attempts: 0, emission: 7, delayMs: 0 })).toBeNull();
    expect(await defer(db, place, id, { attempts: -1, claim: 2, delayMs: 0 })).toBe(0);
    expect(await defer(db, place, id, { attempts: -1, claim: 2, delayMs: 0 })).toBeNull();
    expect(await claim(db, place)).toMatchObject([{ id, attempt: 2 }]);
  });

  it('stays hidden while its claim is extended, by the attempt that holds it alone', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { tenantId } = place;
    const [id, beside] = [await publish(db, place), await publish(db, place)];
    await claim(db, place, 50);
    await extendClaims(db, [{ tenantId, id, attempt: 1 }], HOUR_MS);
    // The claim of both ends at once, but for the extension.
    let back: ClaimedMessage[] = [];
    const isBack = async () => {
      back = await claim(db, place);
      return back.length > 0;
    };
    await vi.waitUntil(isBack, { timeout: 60_000, interval: 5 });
    expect(back).toMatchObject([{ id: beside, attempt: 2 }]);
    await settle(db, place, beside);
    // One that has been taken by another attempt since.
    await releaseClaims(db);
    expect(await claim(db, place, 5)).toMatchObject([{ id, attempt: 2 }]);
    await extendClaims(db, [{ tenantId, id, attempt: 1 }], HOUR_MS);
    const again = await vi.waitUntil(async () => (await claim(db, place))[0], { timeout: 60_000, interval: 2 });
    expect(again).toMatchObject({ id, attempt: 3 });
  });

  it('is dead with a dead letter that names its reason, once per consumer [W10]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const id = await publish(db, place);
    await claim(db, place);
    await bury(db, place, id, 'INTERNAL after 5 attempts');
    await bury(db, place, id, 'again');
    await releaseClaims(db);
    expect(await claim(db, place)).toEqual([]);
    const { tenantId, sessionId } = place;
    expect(await readDead(db, place)).toMatchObject([
      {
        id,
        consumer: 'runner-gateway',
        reason: 'INTERNAL after 5 attempts',
        attempts: 1,
        data: { tenantId, sessionId },
      },
    ]);
  });
}

function describeInbox({ useDb }: DatabaseSuite): void {
  it('takes an event of a consumer once: true, then false [W6 W8]', async () => {
    const db = useDb();
    const { tenantId } = await createPlace(db);
    const eventId = randomUUID();
    const mark = (consumer: string) => db.asTenant(tenantId, (tx) => markHandled(tx, eventId, consumer));
    const marks = await Promise.all([mark('projector'), mark('projector'), mark('projector')]);
    expect(marks.toSorted()).toEqual([false, false, true]);
    expect(await mark('projector')).toBe(false);
    expect(await mark('runner-gateway')).toBe(true);
  });

  it('forgets the event when its effects roll back, and lets them write in their tenant', async () => {
    const db = useDb();
    const { tenantId } = await createPlace(db);
    const eventId = randomUUID();
    const handle = (isFailing: boolean) =>
      db.asTenant(tenantId, async (tx) => {
        const isFirst = await markHandled(tx, eventId, 'projector');
        await tx.execute(sql`update tenant set settings = '{"handled": true}'::jsonb`);
        if (isFailing) throw new Error('rolled back');
        return isFirst;
      });
    await expect(handle(true)).rejects.toThrow('rolled back');
    expect(await handle(false)).toBe(true);
    const row = await db.asTenant(tenantId, (tx) => tx.query.tenant.findFirst());
    expect(row?.settings).toEqual({ handled: true });
  });

  it('keeps tenants apart [S29]', async () => {
    const db = useDb();
    const [first, second] = [await createTenant(db), await createTenant(db)];
    const eventId = randomUUID();
    expect(await db.asTenant(first, (tx) => markHandled(tx, eventId, 'projector'))).toBe(true);
    expect(await db.asTenant(second, (tx) => markHandled(tx, eventId, 'projector'))).toBe(true);
  });
}

function describePruning({ useDb }: DatabaseSuite): void {
  it('removes what is settled and old; what waits stays', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const [settled, waiting] = [await publish(db, place), await publish(db, place)];
    await claim(db, place);
    await settle(db, place, settled);
    expect((await pruneOutbox(db, { olderThanMs: HOUR_MS, limit: 10_000 })).removed).toBe(0);
    expect((await pruneOutbox(db, { olderThanMs: -HOUR_MS, limit: 10_000 })).removed).toBeGreaterThan(0);
    await releaseClaims(db);
    expect((await claim(db, place)).map(({ id }) => id)).toEqual([waiting]);
  });
}
