import {
  type Actor,
  type EventData,
  type EventKind,
  Fault,
  idFromUuid,
  SCHEMA_VERSION,
  type SessionEvent,
} from '@attache/contracts';
import { currentTraceId } from '@attache/telemetry';
import { sql } from 'drizzle-orm';
import { v7 as uuidV7 } from 'uuid';
import { driverErrorOf } from '../connection/database-fault.ts';
import { runStatement } from '../connection/run-statement.ts';
import type { Appended, Tx } from '../database.ts';

/** An event to append. Ids in `data` are public ids, as followers see them. */
export type NewEvent = {
  [K in EventKind]: { kind: K; actor: Actor; data: EventData<K>; traceId?: string | undefined };
}[EventKind];

/** Events as the SQL functions take them, as JSON: with an id and the active trace. */
export function toEventRows(events: readonly NewEvent[]) {
  return events.map((event) => ({
    id: uuidV7(),
    kind: event.kind,
    actor: event.actor,
    traceId: event.traceId ?? currentTraceId(),
    data: event.data,
  }));
}

export type EventRow = ReturnType<typeof toEventRows>[number];

/** Events as readers of the log have them, by the seq of the last one and the time of each. */
export function placeInLog(rows: readonly EventRow[], lastSeq: number, times: readonly string[]): SessionEvent[] {
  const firstSeq = lastSeq - rows.length + 1;
  return rows.map(({ id, kind, actor, traceId, data }, index) => ({
    ...{ id: idFromUuid('event', id), seq: firstSeq + index, at: new Date(String(times[index])).toISOString() },
    ...{ kind, actor, traceId, schemaVersion: SCHEMA_VERSION, data },
  }));
}

/** The same for events of one transaction, which have its time. Undefined if that time is not known. */
export function toAppended(
  session: { tenantId: string; sessionId: string },
  rows: readonly EventRow[],
  { lastSeq, at }: { lastSeq: number; at?: string | undefined },
): Appended | undefined {
  if (rows.length === 0 || at === undefined) return undefined;
  const { tenantId, sessionId } = session;
  return {
    sessionId,
    live: {
      tenantId,
      events: placeInLog(
        rows,
        lastSeq,
        rows.map(() => at),
      ),
    },
  };
}

/**
 * Appends to a session's log in the order given; answers the seq of the last one. Must be the last statement of its
 * transaction: the session row is locked from here to the commit, so that seq order is commit order.
 */
export async function appendEvents(tx: Tx, sessionId: string, events: readonly NewEvent[]): Promise<number> {
  tx.doorbells.add(`log:${sessionId}`);
  const statement = sql`select to_jsonb(attache_append_events(${sessionId}::uuid, ${JSON.stringify(toEventRows(events))}::jsonb))`;
  return Number(await runStatement<number>(tx, statement));
}

// As the SQL functions raise them; nothing of their statement was done then.
const SESSION_ENDED = 'AT001';
const KEY_LOST = 'AT002';

/** Turns the refusal of a session that ended meanwhile into an outcome, and that of an idempotency key that another request holds into a fault. */
export async function orRefusal<T>(outcome: Promise<T>): Promise<T | { outcome: 'session-ended' }> {
  try {
    return await outcome;
  } catch (error) {
    const { code } = driverErrorOf(error) ?? {};
    if (code === KEY_LOST) throw keyLost();
    if (code !== SESSION_ENDED) throw error;
    return { outcome: 'session-ended' };
  }
}

/**
 * Appends the events of a caller's request. Throws `SESSION_ENDED` if the session has ended; the transaction must then be rolled back. Otherwise as
 * `appendEvents`.
 */
export async function appendAsCaller(tx: Tx, sessionId: string, events: readonly NewEvent[]): Promise<number> {
  tx.doorbells.add(`log:${sessionId}`);
  const statement = sql`select to_jsonb(attache_append_as_caller(${sessionId}::uuid, ${JSON.stringify(toEventRows(events))}::jsonb))`;
  const appended = await orRefusal(runStatement<number>(tx, statement));
  if (typeof appended === 'object') throw sessionEnded();
  return Number(appended);
}

const keyLost = (): Fault =>
  new Fault(
    'IDEMPOTENCY_IN_PROGRESS',
    'Another request holds this Idempotency-Key by now; nothing of this one was kept. Try again shortly.',
    { retryable: true, retryAfterSeconds: 1 },
  );

/** The refusal to change a session that has ended. */
export const sessionEnded = (): Fault =>
  new Fault('SESSION_ENDED', 'The session has ended; it can be read, not changed.');
