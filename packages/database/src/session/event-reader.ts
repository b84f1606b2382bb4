import { idFromUuid, type SessionEvent } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { type JsonRow, rowFromJson } from '../connection/json-row.ts';
import type { Database } from '../database.ts';
import { sessionLog } from '../schema.ts';

export type EventQuery = { tenantId: string; sessionId: string; afterSeq: number; limit: number };

/** Events of a session after a seq, oldest first; in one round trip, since every follower asks at every ring. */
export async function readEvents(db: Database, query: EventQuery): Promise<SessionEvent[]> {
  const found = await db.call<JsonRow[]>(sql`select attache_read_events(${JSON.stringify(query)}::jsonb)`, {
    tenantId: query.tenantId,
  });
  return found.map((json) => {
    const { id, seq, at, kind, actor, traceId, schemaVersion, data } = rowFromJson(sessionLog, json);
    return { id: idFromUuid('event', id), seq, at: at.toISOString(), kind, actor, traceId, schemaVersion, data };
  });
}
