import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { reserveUpload } from '../../src/attachment/upload-writer.ts';
import { isUniqueViolation } from '../../src/connection/database-fault.ts';
import type { Database } from '../../src/database.ts';
import { markHandled } from '../../src/outbox/inbox-writer.ts';
import { claimMessages } from '../../src/outbox/outbox-queue.ts';
import { insertOutboxMessage } from '../../src/outbox/outbox-writer.ts';
import { appendEvents } from '../../src/session/append-events.ts';
import { claimSession } from '../../src/session/owner/session-owner-writer.ts';
import { insertTenant } from '../../src/tenancy/tenant-writer.ts';
import { createPlace, newReservation, type Place } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';
import { refusalOf } from './refusals.contract.ts';

const CONNECTIONS = 12;

/** Role and tenant of the connections as a statement finds them that enters nothing. */
async function readEntered(db: Database): Promise<string[]> {
  const entered = sql`select to_jsonb(current_user || ':' || coalesce(current_setting('attache.tenant_id', true), ''))`;
  return Promise.all(Array.from({ length: CONNECTIONS }, () => db.call<string>(entered)));
}

/** The effects that a transaction leaves behind, and the doorbells after it. */
export function describeTransactions({ useDb, takeRung }: DatabaseSuite): void {
  describe('leave neither role nor tenant on the connection', () => {
    const ways: [string, (db: Database, place: Place) => Promise<unknown>][] = [
      ['asTenant', (db, { tenantId }) => db.asTenant(tenantId, (tx) => tx.execute(sql`select 1`))],
      ['readAsTenant', (db, { tenantId }) => db.readAsTenant(tenantId, (tx) => tx.execute(sql`select 1`))],
      [
        'an aborted readAsTenant',
        (db, { tenantId }) => refusalOf(db.readAsTenant(tenantId, (tx) => tx.execute(sql`select 1/0`))),
      ],
      [
        'an aborted asTenant',
        (db, { tenantId }) => refusalOf(db.asTenant(tenantId, (tx) => tx.execute(sql`select 1/0`))),
      ],
      ['asWorker', (db) => db.asWorker((tx) => tx.execute(sql`select 1`))],
      ['markHandled', (db, { tenantId }) => db.asTenant(tenantId, (tx) => markHandled(tx, randomUUID(), 'projector'))],
      ['a function that enters a tenant', (db, place) => reserveUpload(db, newReservation(place))],
      [
        'a function that fails in a tenant',
        (db, place) => refusalOf(reserveUpload(db, newReservation(place, { reserveBytes: 0.5 }))),
      ],
      ['a function of the worker', (db) => claimMessages(db, { subjects: [], limit: 1, leaseMs: 1 })],
      [
        'a claim of a session',
        (db, place) => claimSession(db, { ...place, replicaId: randomUUID(), incarnation: randomUUID() }),
      ],
    ];

    it.each(ways)('%s [S29 A33]', async (_name, enter) => {
      const db = useDb();
      const place = await createPlace(db);
      const before = new Set(await readEntered(db));
      expect([...before]).toEqual([expect.stringMatching(/:$/)]);
      expect([...before].join()).not.toContain('attache_worker');
      await Promise.all(Array.from({ length: CONNECTIONS }, () => enter(db, place)));
      expect(new Set(await readEntered(db))).toEqual(before);
    });
  });

  it('that only read see their tenant alone, and write nothing', async () => {
    const db = useDb();
    const [own, other] = [await createPlace(db), await createPlace(db)];
    const countSessions = async (tenantId: string) =>
      (await db.readAsTenant(tenantId, (tx) => tx.execute(sql`select id from session`))) as unknown;
    const rowsOf = (found: unknown) => (Array.isArray(found) ? found : (found as { rows: unknown[] }).rows);
    expect(rowsOf(await countSessions(own.tenantId))).toEqual([{ id: own.sessionId }]);
    expect(rowsOf(await countSessions(other.tenantId))).toEqual([{ id: other.sessionId }]);
    // As a standby that only reads would answer.
    const write = db.readAsTenant(own.tenantId, (tx) => tx.execute(sql`update session set metadata = '{}'`));
    expect(await refusalOf(write)).toBe('DATABASE_UNAVAILABLE');
    const marked = db.readAsTenant(own.tenantId, (tx) => markHandled(tx, randomUUID(), 'projector'));
    expect(await refusalOf(marked)).toBe('DATABASE_UNAVAILABLE');
  });

  it('are rung for after the commit, when the row can be read', async () => {
    const db = useDb();
    const { tenantId, sessionId } = await createPlace(db);
    takeRung();
    await db.asTenant(tenantId, async (tx) => {
      await appendEvents(tx, sessionId, [
        { kind: 'session.ended', actor: { type: 'service', id: 'ingest' }, data: {} },
      ]);
      expect(takeRung()).toEqual([]);
    });
    expect(takeRung()).toEqual([`log:${sessionId}`]);
  });

  it('ring nothing when they roll back, and leave nothing', async () => {
    const db = useDb();
    const { tenantId, sessionId } = await createPlace(db);
    takeRung();
    const failed = db.asTenant(tenantId, async (tx) => {
      await appendEvents(tx, sessionId, [
        { kind: 'session.ended', actor: { type: 'service', id: 'ingest' }, data: {} },
      ]);
      throw new Error('changed its mind');
    });
    await expect(failed).rejects.toThrow('changed its mind');
    expect(takeRung()).toEqual([]);
    const seq = await db.asTenant(tenantId, (tx) =>
      tx.query.session.findFirst({ columns: { lastSeq: true } }).then((row) => row?.lastSeq),
    );
    expect(seq).toBe(0);
  });

  it('ring for the subject of a message in the outbox', async () => {
    const { tenantId, sessionId } = await createPlace(useDb());
    takeRung();
    await insertOutboxMessage(useDb(), { id: randomUUID(), subject: 'session.ended', data: { tenantId, sessionId } });
    expect(takeRung()).toEqual(['outbox:session.ended']);
  });

  it('say which unique key a duplicate broke', async () => {
    const row = { tenantId: randomUUID(), name: `tenant-${randomUUID()}` };
    await insertTenant(useDb(), row);
    const error = await insertTenant(useDb(), { ...row, tenantId: randomUUID() }).catch((thrown: unknown) => thrown);
    expect(isUniqueViolation(error)).toBe(true);
    expect(isUniqueViolation(error, 'tenant_name_unique')).toBe(true);
    expect(isUniqueViolation(error, 'agent_name')).toBe(false);
  });

  it('are possible while the database says that it is ready', async () => {
    await expect(useDb().checkReady()).resolves.toBeUndefined();
  });
}
