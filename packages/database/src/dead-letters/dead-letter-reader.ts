import { Fault, type Subject } from '@attache/contracts';
import { and, asc, desc, eq, gte, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { deadLetter } from '../schema.ts';

/** A dead letter as it is stored. */
export type DeadLetterRow = Omit<typeof deadLetter.$inferSelect, 'schemaVersion'>;

type Position = { createdAt: string; tenantId: string; id: string; consumer: string };

const positionOf = (row: DeadLetterRow): Position => ({
  createdAt: row.createdAt.toISOString(),
  tenantId: row.tenantId,
  id: row.id,
  consumer: row.consumer,
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function readCursor(cursor: string): Position {
  try {
    const { createdAt, tenantId, id, consumer } = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const isWhole = UUID.test(tenantId) && UUID.test(id) && typeof consumer === 'string';
    if (isWhole) return { createdAt: new Date(createdAt).toISOString(), tenantId, id, consumer };
  } catch {
    // Said below.
  }
  throw new Fault('INVALID_REQUEST', 'The cursor is none that this list gave.');
}

function isAfter(position: Position): SQL {
  const { createdAt, tenantId, id, consumer } = position;
  return sql`(${deadLetter.createdAt}, ${deadLetter.tenantId}, ${deadLetter.id}, ${deadLetter.consumer})
    < (${createdAt}::timestamptz, ${tenantId}::uuid, ${id}::uuid, ${consumer})`;
}

/** Dead letters of one tenant or of all, newest first. `cursor` is the `nextCursor` of the page before. */
export async function listDeadLetters(
  db: Database,
  page: { tenantId?: string | undefined; limit: number; cursor?: string | undefined },
): Promise<{ items: DeadLetterRow[]; nextCursor: string | null }> {
  const { tenantId, limit, cursor } = page;
  const after = cursor === undefined ? undefined : isAfter(readCursor(cursor));
  const found = await db.asWorker((tx) =>
    tx
      .select()
      .from(deadLetter)
      .where(and(tenantId === undefined ? undefined : eq(deadLetter.tenantId, tenantId), after))
      .orderBy(desc(deadLetter.createdAt), desc(deadLetter.tenantId), desc(deadLetter.id), desc(deadLetter.consumer))
      .limit(limit + 1),
  );
  const items = found.slice(0, limit).map(({ schemaVersion: _, ...row }) => row);
  const last = items.at(-1);
  const isMore = found.length > limit && last !== undefined;
  return {
    items,
    nextCursor: isMore ? Buffer.from(JSON.stringify(positionOf(last))).toString('base64url') : null,
  };
}

/** One dead letter; undefined where there is none. */
export async function findDeadLetter(
  db: Database,
  { tenantId, id, consumer }: { tenantId: string; id: string; consumer: string },
): Promise<DeadLetterRow | undefined> {
  const [row] = await db.asWorker((tx) =>
    tx
      .select()
      .from(deadLetter)
      .where(and(eq(deadLetter.tenantId, tenantId), eq(deadLetter.id, id), eq(deadLetter.consumer, consumer))),
  );
  return row;
}

/**
 * Dead letters of all tenants that were not replayed, in the order of their death: those after `after`, which died since a time,
 * under one subject or any.
 */
export async function readUnreplayed(
  db: Database,
  page: {
    subject?: Subject | undefined;
    since?: Date | undefined;
    after?: DeadLetterRow | undefined;
    limit: number;
  },
): Promise<DeadLetterRow[]> {
  const { subject, since, after, limit } = page;
  const { createdAt, tenantId, id, consumer } = deadLetter;
  const place = sql`(${createdAt}, ${tenantId}, ${id}, ${consumer})`;
  return db.asWorker((tx) =>
    tx
      .select()
      .from(deadLetter)
      .where(
        and(
          isNull(deadLetter.replayedAt),
          since && gte(createdAt, since),
          subject && eq(deadLetter.subject, subject),
          after &&
            sql`${place} > (${after.createdAt.toISOString()}::timestamptz, ${after.tenantId}::uuid, ${after.id}::uuid, ${after.consumer})`,
        ),
      )
      .orderBy(asc(createdAt), asc(tenantId), asc(id), asc(consumer))
      .limit(limit),
  );
}

/** How many dead letters wait for the operator. */
export async function countDeadLetters(db: Database): Promise<number> {
  return db.call<number>(sql`select attache_count_dead()`);
}
