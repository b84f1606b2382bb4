import type { VariantPurpose, Warning } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { blob, tenant, variant } from '../schema.ts';
import { lockUsage } from '../tenancy/lock-usage.ts';

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
  page: number | null;
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

/** Forgets a variant whose bytes are lost, so that the next plan that needs it has it made again (DL-53). */
export async function forgetVariant(tx: Tx, variantId: string, blobKey: string): Promise<void> {
  await lockUsage(tx);
  const [lost] = await tx
    .delete(variant)
    .where(
      sql`${variant.id} = ${variantId} and ${variant.blobId} = (select ${blob.id} from ${blob} where ${blob.key} = ${blobKey})`,
    )
    .returning({ blobId: variant.blobId, sizeBytes: variant.sizeBytes });
  if (!lost) return;
  await tx.update(blob).set({ state: 'condemned', condemnedAt: sql`now()` }).where(sql`${blob.id} = ${lost.blobId}`);
  await tx.update(tenant).set({ usedBytes: sql`greatest(0, ${tenant.usedBytes} - ${lost.sizeBytes})` });
}
