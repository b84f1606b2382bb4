import type { Held } from '@attache/domain';
import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import type { Fence } from '../session/owner/fence.ts';
import type { DeliveryRow } from './delivery-reader.ts';
import { ownershipLost } from './delivery-writer.ts';

/** The result of noting that the first byte is about to be written: any outcome but `marked` means that nothing may be written. */
export type Marked =
  | { outcome: 'marked' | 'stale' | 'target-changed' }
  | { outcome: 'attachment-gone' | 'not-granted'; attachmentId: string };

/**
 * The facts of a delivery that is about to be written. `held` is the content that its runtime holds from then on. `isWatched`: its program reaches its model
 * through the relay, which notes the first request that goes there since.
 */
export type WritingFacts = {
  attachmentIds: readonly string[];
  targetVersion: number;
  held: Held;
  isWatched?: boolean | undefined;
};

/**
 * Notes that the first byte is about to be written, where the delivery is still claimed and the attachments (uuids) that it brings are
 * still there and granted to its agent. `targetVersion` is that of the process that takes it.
 */
export async function markWriting(
  db: Database,
  row: Pick<DeliveryRow, 'tenantId' | 'sessionId' | 'id' | 'attempts' | 'status'>,
  { attachmentIds, targetVersion, held, isWatched = false }: WritingFacts,
  fence: Fence,
): Promise<Marked> {
  const parameters = JSON.stringify({
    tenantId: row.tenantId,
    sessionId: row.sessionId,
    deliveryId: row.id,
    attempts: row.attempts,
    // A delivery that the program refused as part of a turn is written once more.
    status: row.status === 'written' ? row.status : 'claimed',
    attachmentIds,
    targetVersion,
    held,
    isWatched,
    fence,
  });
  const marked = await db.call<Marked | { outcome: 'ownership-lost' }>(
    sql`select attache_mark_writing(${parameters}::jsonb)`,
    { tenantId: row.tenantId },
  );
  if (marked.outcome === 'ownership-lost') throw ownershipLost();
  return marked;
}

/**
 * Confirms that a request of an agent may go to its model now; throws `OWNERSHIP_LOST` once the session has another owner. With `isFirst` it is noted that a
 * model may see from now on what was written to the agent.
 */
export async function allowForward(
  db: Database,
  place: { tenantId: string; sessionId: string; agentId: string },
  { fence, isFirst }: { fence: Fence; isFirst: boolean },
): Promise<void> {
  const { tenantId, sessionId, agentId } = place;
  const parameters = JSON.stringify({ tenantId, sessionId, agentId, fence, isFirst });
  if (!(await db.call<boolean>(sql`select attache_allow_forward(${parameters}::jsonb)`, { tenantId })))
    throw ownershipLost();
}
