import type { Actor, FailureCode } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import type { Fence } from '../session/owner/fence.ts';

export type DeliveryNote = { tenantId: string; sessionId: string; deliveryId: string; actor: Actor; code: FailureCode };

/**
 * Says in the timeline of a delivery that is claimed or written what holds it up; its status stays. False: it is neither any more, or this
 * incarnation does not own its session. Asked again after a lost answer it may say it twice.
 */
export async function noteDelivery(db: Database, note: DeliveryNote, fence: Fence): Promise<boolean> {
  return db.call(sql`select attache_note_delivery(${JSON.stringify({ ...note, fence })}::jsonb)`, {
    tenantId: note.tenantId,
  });
}
