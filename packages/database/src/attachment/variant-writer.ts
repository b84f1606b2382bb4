import type { Variant, VariantPurpose, Warning } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { type JsonRow, rowFromJson } from '../connection/json-row.ts';
import type { Database, Tx } from '../database.ts';
import { blob, tenant, variant } from '../schema.ts';
import { lockUsage } from '../tenancy/lock-usage.ts';
import { describeVariant } from './attachment-reader.ts';

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
  /** The id of the reserved blob. */
  blobId: string;
};

/** Puts a blob row before its bytes are written, so that a killed process leaves nothing without an owner (W9). */
export async function reserveVariant(
  db: Database,
  reserved: { tenantId: string; id: string; key: string; storeId: string },
): Promise<void> {
  const statement = sql`select attache_reserve_variant(${JSON.stringify(reserved)}::jsonb)`;
  await db.call(statement, { tenantId: reserved.tenantId });
}

/** `isNew` is false where another attempt recorded it first: `variant` is that one's, and this blob was condemned. */
export type RecordedVariant = { isNew: boolean; variant: Variant };

/** Records a variant on its written blob, in one round trip. */
export async function recordVariant(db: Database, made: NewVariant): Promise<RecordedVariant> {
  const statement = sql`select attache_record_variant(${JSON.stringify(made)}::jsonb)`;
  const { isNew, row } = await db.call<{ isNew: boolean; row: JsonRow }>(statement, { tenantId: made.tenantId });
  return { isNew, variant: describeVariant(rowFromJson(variant, row)) };
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
