import { sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Tx } from '../database.ts';

/** Marks an event as handled by a consumer, in the transaction of its effects. False: it was handled before. */
export async function markHandled(tx: Tx, eventId: string, consumer: string): Promise<boolean> {
  return runStatement<boolean>(tx, sql`select to_jsonb(attache_mark_handled(${eventId}::uuid, ${consumer}))`);
}
