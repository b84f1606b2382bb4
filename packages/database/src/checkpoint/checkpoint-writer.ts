import type { KeptFiles } from '@attache/domain';
import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { ownershipLost } from '../delivery/delivery-writer.ts';
import { type NewEvent, toEventRows } from '../session/append-events.ts';
import type { Fence } from '../session/owner/fence.ts';

/** A checkpoint whose new bytes are written under a reserved key. */
export type NewCheckpoint = KeptFiles & {
  tenantId: string;
  sessionId: string;
  agentId: string;
  deliveryId: string;
  targetVersion: number;
  memoryVersion: number;
  reference: string;
  programVersion?: string | undefined;
  /** The size of all files together. */
  sizeBytes: number;
  /** The blob with the new bytes, which is the last of the packs: what it holds, and as it is stored. */
  blobId: string;
  rawBytes: number;
  storedBytes: number;
  sha256: string;
  events: readonly NewEvent[];
};

/** A blob that nothing names any more, deleted for every reader: its bytes may be removed. */
export type ReleasedBlob = { id: string; key: string };

export type KeptOutcome = { outcome: 'kept'; released: ReleasedBlob[] } | { outcome: 'outdated' | 'reservation-lost' };

/**
 * Keeps a checkpoint and the one before it, with its events, under the fence of its session; `OWNERSHIP_LOST` where that does not hold. `outdated`: the
 * session has ended, the agent is gone, or what it remembers does not count any more. May be repeated after a lost answer.
 */
export async function keepCheckpoint(
  db: Database,
  { events, ...checkpoint }: NewCheckpoint,
  fence: Fence,
): Promise<KeptOutcome> {
  const parameters = JSON.stringify({ ...checkpoint, events: toEventRows(events), fence });
  const kept = await db.call<KeptOutcome | { outcome: 'ownership-lost' }>(
    sql`select attache_keep_checkpoint(${parameters}::jsonb)`,
    { tenantId: checkpoint.tenantId },
  );
  if (kept.outcome === 'ownership-lost') throw ownershipLost();
  return kept;
}

/** Takes away all checkpoints of an agent (uuid). */
export async function forgetCheckpoints(db: Database, tenantId: string, agentId: string): Promise<ReleasedBlob[]> {
  return db.call(sql`select attache_forget_checkpoints(${tenantId}::uuid, ${agentId}::uuid)`, { tenantId });
}
