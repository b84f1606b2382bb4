import type { Held } from '@attache/domain';
import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import type { Fence } from '../session/fence.ts';
import type { DeliveryRow } from './delivery-reader.ts';
import { ownershipLost } from './delivery-writer.ts';

/** What became of the note that the first byte is about to be written: all but `marked` mean that nothing may be written. */
export type Marked =
  | { outcome: 'marked' | 'stale' | 'target-changed' }
  | { outcome: 'attachment-gone' | 'not-granted'; attachmentId: string };

/** What is about to be written. `held` is what its runtime holds from then on. */
export type WritingFacts = { attachmentIds: readonly string[]; targetVersion: number; held: Held };

/**
 * Notes that the first byte is about to be written, where the delivery is still claimed and the attachments (uuids) that it brings are
 * still there and granted to its agent. `targetVersion` is that of the process that takes it.
 */
export async function markWriting(
  db: Database,
  row: Pick<DeliveryRow, 'tenantId' | 'sessionId' | 'id' | 'attempts' | 'status'>,
  { attachmentIds, targetVersion, held }: WritingFacts,
  fence: Fence,
): Promise<Marked> {
  const parameters = JSON.stringify({
    tenantId: row.tenantId,
    sessionId: row.sessionId,
    deliveryId: row.id,
    attempts: row.attempts,
    // One that the program has refused as part of a turn is written once more.
    status: row.status === 'written' ? row.status : 'claimed',
    attachmentIds,
    targetVersion,
    held,
    fence,
  });
  const marked = await db.call<Marked | { outcome: 'ownership-lost' }>(
    sql`select attache_mark_writing(${parameters}::jsonb)`,
    { tenantId: row.tenantId },
  );
  if (marked.outcome === 'ownership-lost') throw ownershipLost();
  return marked;
}
