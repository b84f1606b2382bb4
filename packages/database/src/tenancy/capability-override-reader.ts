import type { TenantOverride } from '@attache/contracts';
import { and, eq } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { capabilityOverride } from '../schema.ts';

export type OverrideRow = typeof capabilityOverride.$inferSelect;

/** The tenant's overrides of some profiles, found by target. */
export type Overrides = { of(target: { profile: string; model: string }): TenantOverride | undefined };

export function toOverrides(rows: readonly OverrideRow[]): Overrides {
  return {
    of: ({ profile, model }) => rows.find((row) => row.profile === profile && row.model === model),
  };
}

/** The override of a profile's model. */
export async function findOverride(
  tx: Tx,
  { profile, model }: { profile: string; model: string },
): Promise<OverrideRow | undefined> {
  const [row] = await tx
    .select()
    .from(capabilityOverride)
    .where(and(eq(capabilityOverride.profile, profile), eq(capabilityOverride.model, model)));
  return row;
}
