import { and, eq, isNull, sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';
import { idempotency } from '../schema.ts';
import { orRefusal } from '../session/append-events.ts';

/** One key in one place. `sessionId` is the nil uuid where the route has no session. */
export type IdempotencyKey = {
  route: string;
  sessionId: string;
  key: string;
  /** The principal that asks: another one never gets the response, nor a second effect. */
  principal?: string | undefined;
  /** Incarnation of the process that opens it, whose key it is while that one lives; without one it is free again after a day. */
  holder?: string | undefined;
  /** The request that opens it: only that one closes it, or frees it again. */
  ticket?: string | undefined;
};

/** The stored part of an HTTP response. The body is sealed: it may hold a token or a text. */
export type KeptAnswer = { fingerprint: string; status: number; sealedAnswer: string };

export type OpenedIdempotency =
  /** `reused`: it is another principal's. */
  { state: 'opened' } | { state: 'in-progress' } | { state: 'reused' } | ({ state: 'done' } & KeptAnswer);

/** Takes the key, or says what became of its first use; in one round trip. */
export async function openIdempotency(db: Database, tenantId: string, key: IdempotencyKey): Promise<OpenedIdempotency> {
  return db.call(sql`select attache_open_once(${JSON.stringify({ ...key, tenantId })}::jsonb)`, { tenantId });
}

/**
 * Keeps the answer, in the transaction of the effects, so that one is never without the other (W2). A fault, with which the transaction is to
 * be rolled back, where another request holds the key by now.
 */
export async function closeIdempotency(tx: Tx, key: IdempotencyKey, answer: KeptAnswer): Promise<void> {
  const parameters = JSON.stringify({ ...key, ...answer });
  await orRefusal(runStatement(tx, sql`select to_jsonb(attache_close_idempotency(${parameters}::jsonb)::text)`));
}

/** Frees the key after an answer that is not kept. */
export async function dropIdempotency(tx: Tx, key: IdempotencyKey): Promise<void> {
  await tx
    .delete(idempotency)
    .where(
      and(
        eq(idempotency.route, key.route),
        eq(idempotency.sessionId, key.sessionId),
        eq(idempotency.key, key.key),
        eq(idempotency.state, 'in-progress'),
        key.ticket === undefined ? isNull(idempotency.ticket) : eq(idempotency.ticket, key.ticket),
      ),
    );
}

/** A thing that may be used once: its place, as of an idempotency key, and who uses it. */
export type UsedOnce = { tenantId: string; route: string; sessionId: string; key: string; principal: string };

/** Uses it. False: it was used before, in this process or another one. One round trip. */
export async function useOnce(db: Database, { tenantId, ...use }: UsedOnce): Promise<boolean> {
  return db.call(sql`select attache_use_once(${JSON.stringify({ ...use, tenantId })}::jsonb)`, { tenantId });
}
