import type { DeclaredCapability } from '@attache/contracts';
import { and, eq, sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';
import { profileProbe } from '../schema.ts';

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

/** The newest declaration of each profile; absent where none was asked yet. */
export type Probes = ReadonlyMap<string, DeclaredCapability>;

/** The result of `attache_newest_probes`. */
export type ProbesJson = Record<string, DeclaredCapability>;

export const toProbes = (json: ProbesJson): Probes => new Map(Object.entries(json));

/** The newest declarations of some profiles, inside a transaction. */
export async function readNewestProbes(tx: Tx, profiles: readonly string[]): Promise<Probes> {
  const statement = sql`select attache_newest_probes(array(select jsonb_array_elements_text(${JSON.stringify(profiles)}::jsonb)))`;
  return toProbes(await runStatement<ProbesJson>(tx, statement));
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
