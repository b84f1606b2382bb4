import type { AttachmentStatus } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';

type FoundBytes = { key: string; mimeType: string; sizeBytes: number; sha256: string };

/** The target of a signed URL. Its signature was verified before; the caller checks whether the URL was given for this tenant. */
export type FoundRaw = {
  tenantId: string;
  sessionId: string;
  /** The current generation of all signed URLs of the tenant. */
  tenantUrlGeneration: number;
  isSuspended: boolean;
  isDeleted: boolean;
  urlGeneration: number;
  name: string;
  status: AttachmentStatus;
  /** Only for a text. */
  encoding: string | null;
  original: FoundBytes;
  /** Null where none was asked for, or it is not of these bytes. */
  variant: FoundBytes | null;
};

/** One round trip: the tenant is found by a security-definer look-up, the rows are read inside that tenant. */
export async function findRaw(db: Database, attachmentId: string, variantId?: string): Promise<FoundRaw | null> {
  return db.call(sql`select attache_find_raw(${attachmentId}::uuid, ${variantId ?? null}::uuid)`);
}
