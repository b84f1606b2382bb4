import type { VariantPurpose, Warning } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import type { Tx } from './database.ts';
import { lockUsage } from './lock-usage.ts';
import { blob, tenant, variant } from './schema.ts';

export type NewVariant = {
  tenantId: string;
  id: string;
  sourceSha256: string;
  purpose: VariantPurpose;
  recipe: string;
  mimeType: string;
  sizeBytes: number;
  sha256: string;
  width: number | null;
  height: number | null;
  scale: number | null;
  warnings: Warning[];
  blob: { id: string };
};

/** Puts a blob row before its bytes are written, so that a killed process leaves nothing without an owner (W9). */
export async function reserveVariantBlob(
  tx: Tx,
  row: { tenantId: string; id: string; key: string; storeId: string },
): Promise<void> {
  await tx.insert(blob).values(row);
}

/**
 * Records a variant on its written blob. False: another attempt recorded it first, and this blob was condemned.
 */
export async function insertVariant(tx: Tx, { blob: written, ...row }: NewVariant): Promise<boolean> {
  await lockUsage(tx);
  const inserted = await tx
    .insert(variant)
    .values({ ...row, blobId: written.id })
    .onConflictDoNothing()
    .returning({ id: variant.id });
  const isNew = inserted.length > 0;
  await tx
    .update(blob)
    .set(
      isNew
        ? { state: 'live', sizeBytes: row.sizeBytes, sha256: row.sha256 }
        : { state: 'condemned', condemnedAt: sql`now()`, sizeBytes: row.sizeBytes },
    )
    .where(sql`${blob.id} = ${written.id}`);
  if (isNew) await tx.update(tenant).set({ usedBytes: sql`${tenant.usedBytes} + ${row.sizeBytes}` });
  return isNew;
}
