import type { DeclaredCapability } from '@attache/contracts';
import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Database, Tx } from './database.ts';
import { profileProbe } from './schema.ts';

/** Keeps what a profile's program declared (evidence `live-probe`). */
export async function saveProbe(
  db: Database,
  probe: { profile: string; programVersion: string; declared: DeclaredCapability },
): Promise<void> {
  await db.asWorker(async (tx) => {
    await tx
      .insert(profileProbe)
      .values(probe)
      .onConflictDoUpdate({
        target: [profileProbe.profile, profileProbe.programVersion],
        set: { declared: probe.declared, probedAt: sql`now()` },
      });
  });
}

/** The newest declaration of each of these profiles; absent where none was asked yet. */
export async function readProbes(tx: Tx, profiles: readonly string[]): Promise<Map<string, DeclaredCapability>> {
  if (profiles.length === 0) return new Map();
  const rows = await tx
    .select()
    .from(profileProbe)
    .where(inArray(profileProbe.profile, [...profiles]))
    .orderBy(desc(profileProbe.probedAt));
  return new Map(rows.toReversed().map((row) => [row.profile, row.declared]));
}

/** Whether this version of the profile's program was asked before. */
export async function hasProbe(db: Database, profile: string, programVersion: string): Promise<boolean> {
  return db.asWorker(async (tx) => {
    const found = await tx
      .select({ profile: profileProbe.profile })
      .from(profileProbe)
      .where(and(eq(profileProbe.profile, profile), eq(profileProbe.programVersion, programVersion)));
    return found.length > 0;
  });
}
