import { idFromUuid, type SessionEvent } from '@attache/contracts';
import { and, eq, gt } from 'drizzle-orm';
import type { Tx } from './database.ts';
import { sessionLog } from './schema.ts';

/** Events of a session after a seq, oldest first. */
export async function readEvents(
  tx: Tx,
  query: { sessionId: string; afterSeq: number; limit: number },
): Promise<SessionEvent[]> {
  const rows = await tx
    .select()
    .from(sessionLog)
    .where(and(eq(sessionLog.sessionId, query.sessionId), gt(sessionLog.seq, query.afterSeq)))
    .orderBy(sessionLog.seq)
    .limit(query.limit);
  return rows.map((row) => ({
    id: idFromUuid('event', row.id),
    seq: row.seq,
    at: row.at.toISOString(),
    kind: row.kind,
    actor: row.actor,
    traceId: row.traceId,
    schemaVersion: row.schemaVersion,
    data: row.data,
  }));
}
