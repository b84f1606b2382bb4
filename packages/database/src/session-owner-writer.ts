import { sql } from 'drizzle-orm';
import type { Database, Tx } from './database.ts';
import type { Fence } from './fence.ts';
import { runStatement } from './run-statement.ts';

export type ReplicaIdentity = { replicaId: string; incarnation: string };

/**
 * Takes or keeps a session for a replica; answers the epoch. Undefined: another living replica owns it. A new incarnation of the
 * same replica replaces the old one under a higher epoch.
 */
export async function claimSession(
  db: Database,
  claim: ReplicaIdentity & { tenantId: string; sessionId: string },
): Promise<number | undefined> {
  const { epoch } = await db.call<{ epoch: number | null }>(
    sql`select attache_claim_session(${JSON.stringify(claim)}::jsonb)`,
  );
  return epoch ?? undefined;
}

/**
 * Holds the owner row until the transaction ends. `isHeld` false: a higher epoch exists, and this holder must stop itself. The id of
 * the transaction is for asking, should the answer to its commit be lost, what became of it.
 */
export async function holdEpoch(
  tx: Tx,
  sessionId: string,
  fence: Fence,
): Promise<{ isHeld: boolean; transactionId: string }> {
  return runStatement(
    tx,
    sql`select jsonb_build_object('isHeld', attache_hold_epoch(${sessionId}::uuid, ${fence.incarnation}::uuid, ${fence.epoch}::bigint),
          'transactionId', pg_current_xact_id()::text)`,
  );
}

/** Sessions that this replica owned under an earlier incarnation. */
export async function readFormerSessions(
  db: Database,
  identity: ReplicaIdentity,
): Promise<{ tenantId: string; sessionId: string }[]> {
  return db.asWorker((tx) =>
    runStatement(
      tx,
      sql`select coalesce(jsonb_agg(jsonb_build_object('tenantId', tenant_id, 'sessionId', session_id)), '[]'::jsonb) from session_owner
          where replica_id = ${identity.replicaId} and incarnation <> ${identity.incarnation}::uuid and released_at is null`,
    ),
  );
}

/** Lets go of a session, so that any replica may take it. */
export async function releaseSession(
  db: Database,
  claim: ReplicaIdentity & { tenantId: string; sessionId: string },
): Promise<void> {
  await db.asWorker(async (tx) => {
    await tx.execute(sql`update session_owner set released_at = now() where tenant_id = ${claim.tenantId}::uuid
      and session_id = ${claim.sessionId}::uuid and incarnation = ${claim.incarnation}::uuid and released_at is null`);
  });
}

/** Registers a replica or renews its lease. */
export async function renewLease(
  db: Database,
  lease: ReplicaIdentity & { leaseMs: number; state: 'active' | 'draining' | 'gone' },
): Promise<void> {
  await db.asWorker(async (tx) => {
    await tx.execute(sql`insert into replica (id, incarnation, state, lease_until, schema_version)
      values (${lease.replicaId}, ${lease.incarnation}::uuid, ${lease.state}, now() + make_interval(secs => ${lease.leaseMs}::int / 1000.0), 1)
      on conflict (id) do update set incarnation = excluded.incarnation, state = excluded.state, lease_until = excluded.lease_until`);
  });
}
