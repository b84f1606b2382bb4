import type { KeptFile } from '@attache/domain';
import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';

/** A blob of a checkpoint, and how many bytes come out of it. */
export type StoredPack = { blobId: string; key: string; rawBytes: number };

export type StoredCheckpoint = {
  number: number;
  reference: string;
  programVersion: string | null;
  /** As `KeptFile` names them by position. */
  packs: StoredPack[];
  files: KeptFile[];
  sizeBytes: number;
  /** It holds all that was brought to the agent, as the agent is now. */
  isCurrent: boolean;
};

type Json = Omit<StoredCheckpoint, 'programVersion' | 'sizeBytes'> & {
  program_version: string | null;
  size_bytes: number;
};

/** The latest checkpoint of an agent (uuid). */
export async function readCheckpoint(
  db: Database,
  { tenantId, agentId }: { tenantId: string; agentId: string },
): Promise<StoredCheckpoint | undefined> {
  const found = await db.call<Json | null>(sql`select attache_read_checkpoint(${tenantId}::uuid, ${agentId}::uuid)`, {
    tenantId,
  });
  if (found === null) return undefined;
  const { number, reference, files, packs, isCurrent } = found;
  const { program_version: programVersion, size_bytes: sizeBytes } = found;
  return { number, reference, files, packs, isCurrent, programVersion, sizeBytes };
}
