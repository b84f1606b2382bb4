import type { Actor, EventData, EventKind } from '@attache/contracts';
import { currentTraceId } from '@attache/telemetry';
import { sql } from 'drizzle-orm';
import { v7 as uuidV7 } from 'uuid';
import type { Tx } from './database.ts';
import { runStatement } from './run-statement.ts';

/** An event to append. Ids in `data` are public ids, as followers see them. */
export type NewEvent = {
  [K in EventKind]: { kind: K; actor: Actor; data: EventData<K>; traceId?: string | undefined };
}[EventKind];

/** Events as the SQL functions take them: with an id and the active trace. */
export function toEventRows(events: readonly NewEvent[]): string {
  return JSON.stringify(
    events.map((event) => ({
      id: uuidV7(),
      kind: event.kind,
      actor: event.actor,
      traceId: event.traceId ?? currentTraceId(),
      data: event.data,
    })),
  );
}

/**
 * Appends to a session's log in the order given; answers the seq of the last one. Must be the last statement of its
 * transaction: the session row is locked from here to the commit, so that seq order is commit order.
 */
export async function appendEvents(tx: Tx, sessionId: string, events: readonly NewEvent[]): Promise<number> {
  tx.doorbells.add(`log:${sessionId}`);
  const statement = sql`select to_jsonb(attache_append_events(${sessionId}::uuid, ${toEventRows(events)}::jsonb))`;
  return Number(await runStatement<number>(tx, statement));
}
