import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { runStatement } from '../../src/connection/run-statement.ts';
import type { Database } from '../../src/database.ts';
import { appendEvents, type NewEvent } from '../../src/session/append-events.ts';
import { pruneSessions } from '../../src/session/prune-sessions.ts';
import { appendAudit, pruneAudit } from '../../src/tenancy/audit-writer.ts';
import { createDelivery, createPlace, createSession, type Place } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const event: NewEvent = { kind: 'session.ended', actor: { type: 'service', id: 'ingest' }, data: {} };

/** A place whose session ended, with eight events and a delivery of the given status, whose timeline has one row. */
async function createEnded(db: Database, days: number, status = 'responded'): Promise<Place> {
  const place = await createPlace(db);
  const { deliveryId } = await createDelivery(db, place);
  await db.asTenant(place.tenantId, async (tx) => {
    await appendEvents(tx, place.sessionId, new Array(7).fill(event));
    await tx.execute(sql`update delivery set status = ${status} where id = ${deliveryId}::uuid`);
    await tx.execute(sql`update session set status = 'ended', ended_at = now() - make_interval(days => ${days}::int)`);
  });
  return place;
}

/** Rows of the log and of timelines. */
const countHistory = (db: Database, { tenantId }: Pick<Place, 'tenantId'>): Promise<unknown> =>
  db.asTenant(tenantId, (tx) =>
    runStatement(
      tx,
      sql`select jsonb_build_array((select count(*) from session_log), (select count(*) from delivery_transition))`,
    ),
  );

const change = (db: Database, { tenantId }: Place, statement: string) =>
  db.asTenant(tenantId, async (tx) => void (await tx.execute(statement)));

/** Old log entries can be pruned in steps, and nothing else is. */
export function describePruning({ useDb }: DatabaseSuite): void {
  it('removes log and timelines of a session that ended before the given time, in steps of the given size', async () => {
    const db = useDb();
    const { tenantId, sessionId } = await createEnded(db, 40);
    const prune = () => pruneSessions(db, { tenantId, before: daysAgo(30), limit: 5 });
    expect(await prune()).toEqual({ removed: 5, isDone: false });
    expect(await countHistory(db, { tenantId })).toEqual([4, 0]);
    expect(await prune()).toEqual({ removed: 4, isDone: true });
    expect(await prune()).toEqual({ removed: 0, isDone: true });
    expect(await countHistory(db, { tenantId })).toEqual([0, 0]);
    // The session is still there, and no number of its log is ever given twice.
    const kept = await db.asTenant(tenantId, (tx) => tx.query.session.findFirst());
    expect(kept).toMatchObject({ id: sessionId, lastSeq: 8, prunedAt: expect.any(Date) });
  });

  it('goes through the sessions of a tenant, those that ended first before the others', async () => {
    const db = useDb();
    const { tenantId } = await createEnded(db, 40);
    const older = await createSession(db, tenantId);
    await db.asTenant(tenantId, async (tx) => {
      await appendEvents(tx, older, [event, event]);
      await tx.execute(
        sql`update session set status = 'ended', ended_at = now() - interval '50 days' where id = ${older}::uuid`,
      );
    });
    expect(await pruneSessions(db, { tenantId, before: daysAgo(30), limit: 2 })).toEqual({ removed: 2, isDone: false });
    expect(await countHistory(db, { tenantId })).toEqual([8, 1]);
    expect(await pruneSessions(db, { tenantId, before: daysAgo(30), limit: 50 })).toEqual({ removed: 9, isDone: true });
  });

  it('keeps what is needed: of active sessions, of those that ended later, under a legal hold, with an open delivery', async () => {
    const db = useDb();
    const kept = {
      active: await createEnded(db, 40),
      later: await createEnded(db, 20),
      held: await createEnded(db, 40),
      ofHeldTenant: await createEnded(db, 40),
      open: await createEnded(db, 40, 'written'),
    };
    await change(db, kept.active, "update session set status = 'active', ended_at = null");
    await change(db, kept.held, 'update session set legal_hold = true');
    await change(db, kept.ofHeldTenant, 'update tenant set legal_hold = true');
    for (const [why, { tenantId }] of Object.entries(kept)) {
      const pruned = await pruneSessions(db, { tenantId, before: daysAgo(30), limit: 50 });
      expect({ why, pruned }).toEqual({ why, pruned: { removed: 0, isDone: true } });
      expect(await countHistory(db, { tenantId })).toEqual([8, 1]);
    }
  });

  it('removes entries of the audit log, the oldest first, and of the given tenant alone', async () => {
    const db = useDb();
    const [{ tenantId }, other] = [await createPlace(db), await createPlace(db)];
    const actor = { type: 'operator', id: 'operator' } as const;
    for (const id of [tenantId, other.tenantId]) {
      await db.asTenant(id, async (tx) => {
        for (const days of [40, 50, 60, 1]) {
          await appendAudit(tx, { tenantId: id, actor, action: 'tenant.changed', at: daysAgo(days), data: { days } });
        }
      });
    }
    const readDays = (id: string) =>
      db.asTenant(id, (tx) =>
        runStatement(tx, sql`select jsonb_agg(data->'days' order by at) from audit_log where data ? 'days'`),
      );
    expect(await pruneAudit(db, { tenantId, before: daysAgo(30), limit: 2 })).toBe(2);
    expect(await readDays(tenantId)).toEqual([40, 1]);
    expect(await pruneAudit(db, { tenantId, before: daysAgo(30), limit: 2 })).toBe(1);
    expect(await readDays(other.tenantId)).toEqual([60, 50, 40, 1]);
    await change(db, other, 'update tenant set legal_hold = true');
    expect(await pruneAudit(db, { tenantId: other.tenantId, before: daysAgo(30), limit: 9 })).toBe(0);
  });

  it('keeps a day, whatever is asked for', async () => {
    const db = useDb();
    const { tenantId } = await createEnded(db, 0);
    const actor = { type: 'operator', id: 'operator' } as const;
    await db.asTenant(tenantId, (tx) => appendAudit(tx, { tenantId, actor, action: 'tenant.changed' }));
    const everything = { tenantId, before: daysAgo(-100), limit: 50 };
    expect(await pruneSessions(db, everything)).toEqual({ removed: 0, isDone: true });
    expect(await pruneAudit(db, everything)).toBe(0);
  });
}
