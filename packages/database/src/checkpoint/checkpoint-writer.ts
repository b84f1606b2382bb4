import type { KeptFiles } from '@attache/domain';
import { sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';

/** A checkpoint whose new bytes are written under a reserved key. */
export type NewCheckpoint = KeptFiles & {
  sessionId: string;
  agentId: string;
  epoch: number;
  deliveryId: string;
  targetVersion: number;
  memoryVersion: number;
  reference: string;
  programVersion?: string | undefined;
  /** Of all files together. */
  sizeBytes: number;
  /** The blob with the new bytes, which is the last of the packs: what it holds, and as it is stored. */
  blobId: string;
  rawBytes: number;
  storedBytes: number;
  sha256: string;
};

/** A blob that nothing names any more, deleted for every reader: its bytes may be removed. */
export type ReleasedBlob = { id: string; key: string };

export type KeptOutcome = { outcome: 'kept'; released: ReleasedBlob[] } | { outcome: 'outdated' | 'reservation-lost' };

/**
 * Keeps a checkpoint and the one before it, in a transaction under the fence of its session. `outdated`: the session has ended, the agent is gone, or
 * what it remembers does not count any more.
 */
export async function keepCheckpoint(tx: Tx, checkpoint: NewCheckpoint): Promise<KeptOutcome> {
  return runStatement(tx, sql`select attache_keep_checkpoint(${JSON.stringify(checkpoint)}::jsonb)`);
}

/** Takes away all checkpoints of an agent (uuid). */
export async function forgetCheckpoints(db: Database, tenantId: string, agentId: string): Promise<ReleasedBlob[]> {
  return db.call(sql`select attache_forget_checkpoints(${tenantId}::uuid, ${agentId}::uuid)`, { tenantId });
}
