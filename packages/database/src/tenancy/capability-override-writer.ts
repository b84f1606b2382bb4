import type { Actor, OverrideRequest } from '@attache/contracts';
import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { capabilityOverride } from '../schema.ts';

type Place = { profile: string; model: string };

/** Stores a tenant's statement about a profile's model, in place of its earlier one. */
export async function saveOverride(
  tx: Tx,
  row: Place & OverrideRequest & { tenantId: string; author: Actor },
): Promise<void> {
  const { capability, reason, author } = row;
  await tx
    .insert(capabilityOverride)
    .values(row)
    .onConflictDoUpdate({
      target: [capabilityOverride.tenantId, capabilityOverride.profile, capabilityOverride.model],
      set: { capability, reason, author, createdAt: sql`now()` },
    });
}

/** Takes an override back. False: there was none. */
export async function deleteOverride(tx: Tx, { profile, model }: Place): Promise<boolean> {
  const deleted = await tx
    .delete(capabilityOverride)
    .where(and(eq(capabilityOverride.profile, profile), eq(capabilityOverride.model, model)))
    .returning({ profile: capabilityOverride.profile });
  return deleted.length > 0;
}
