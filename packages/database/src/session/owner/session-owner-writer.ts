import { sql } from 'drizzle-orm';
import { runStatement } from '../../connection/run-statement.ts';
import type { Database, Tx } from '../../database.ts';
import { type NewEvent, toEventRows } from '../append-events.ts';
import type { Fence } from './fence.ts';
import type { OtherGateway, Placement } from './placement.ts';

export type ReplicaIdentity = { replicaId: string; incarnation: string };
export type OwnedSession = { tenantId: string; sessionId: string };

/**
 * `isTakenOver`: its last owner died with it, so that the deliveries it had begun are still to be settled. `deaths`: how many gateways in a row died during a
 * delivery of it. `goneMs`: how long no living gateway owned it, if one died with it or lost its lease.
 */
export type Claim = { epoch: number; isTakenOver: boolean; deaths: number; goneMs?: number };

/**
 * Takes or keeps a session for a replica, under a higher epoch each time that it changes hands. Undefined: another living one owns it. `isAgain`: this
 * incarnation stopped what it had begun in the session, and takes it as though another one had owned it.
 */
export async function claimSession(
  db: Database,
  claim: ReplicaIdentity & OwnedSession & { isAgain?: boolean | undefined },
): Promise<Claim | undefined> {
  const { epoch, ...claimed } = await db.call<Omit<Claim, 'epoch'> & { epoch: number | null }>(
    sql`select attache_claim_session(${JSON.stringify(claim)}::jsonb)`,
    { tenantId: claim.tenantId },
  );
  return epoch === null ? undefined : { epoch, ...claimed };
}

/** Incarnation of the living gateway that owns a session, or that had it last if nobody owns it; undefined where there is none. */
export async function findOwner(db: Database, session: OwnedSession): Promise<string | undefined> {
  const owner = await db.call<string | null>(sql`select attache_find_owner(${JSON.stringify(session)}::jsonb)`, {
    tenantId: session.tenantId,
  });
  return owner ?? undefined;
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

const NIL = '00000000-0000-0000-0000-000000000000';

/** Up to `limit` sessions that this replica owned under an earlier incarnation and did not let go of, in the order of their ids, behind `after`. */
export const readFormerSessions = (
  db: Database,
  { replicaId, incarnation }: ReplicaIdentity,
  { after, limit }: { after?: OwnedSession | undefined; limit: number },
): Promise<OwnedSession[]> =>
  db.asWorker((tx) =>
    runStatement(
      tx,
      sql`select coalesce(jsonb_agg(jsonb_build_object('tenantId', f.tenant_id, 'sessionId', f.session_id)), '[]'::jsonb) from (
            select tenant_id, session_id from session_owner
              where replica_id = ${replicaId} and incarnation <> ${incarnation}::uuid and released_at is null
                and (tenant_id, session_id) > (${after?.tenantId ?? NIL}::uuid, ${after?.sessionId ?? NIL}::uuid)
              order by tenant_id, session_id limit ${limit}::int) f`,
    ),
  );

/**
 * Up to `limit` sessions whose owners did not release them and renew no lease, in no particular order: the replica that claims one takes it over. Sessions of
 * this incarnation itself are not included.
 */
export const readOrphanedSessions = (
  db: Database,
  wanted: { incarnation: string; onlyTenant?: string | undefined; limit: number },
): Promise<OwnedSession[]> => db.call(sql`select attache_orphaned_sessions(${JSON.stringify(wanted)}::jsonb)`);

/** The sessions among these that this incarnation owns. */
export const filterOwnedSessions = (
  db: Database,
  { incarnation }: Pick<ReplicaIdentity, 'incarnation'>,
  sessions: readonly OwnedSession[],
): Promise<OwnedSession[]> =>
  db.asWorker((tx) =>
    runStatement(
      tx,
      sql`select coalesce(jsonb_agg(jsonb_build_object('tenantId', o.tenant_id, 'sessionId', o.session_id)), '[]'::jsonb)
          from jsonb_to_recordset(${JSON.stringify(sessions)}::jsonb) as s("tenantId" uuid, "sessionId" uuid)
            join session_owner o on o.tenant_id = s."tenantId" and o.session_id = s."sessionId"
          where o.incarnation = ${incarnation}::uuid and o.released_at is null`,
    ),
  );

/**
 * Releases a session, so that any replica may take it. False: a delivery in it is in progress, or another replica owns it. With `handsOver`, prepared
 * deliveries may wait in it: then it is orphaned, and its next owner takes them over.
 */
export async function releaseSession(
  db: Database,
  claim: ReplicaIdentity & OwnedSession & { handsOver?: boolean | undefined },
): Promise<boolean> {
  return db.call<boolean>(sql`select attache_release_session(${JSON.stringify(claim)}::jsonb)`, {
    tenantId: claim.tenantId,
  });
}

/** A name that another incarnation holds, until `leftMs` from now unless it renews its lease, which moves `leaseUntil`. */
export type HeldReplica = { outcome: 'held'; incarnation: string; leaseUntil: string; leftMs: number };

/** Takes the name of a replica. Where its holder is known to be dead, as `deadIncarnation`, its lease counts no more. */
export async function takeReplica(
  db: Database,
  wanted: ReplicaIdentity & { leaseMs: number; deadIncarnation?: string | undefined },
): Promise<{ outcome: 'taken' } | HeldReplica> {
  return db.call(sql`select attache_take_replica(${JSON.stringify(wanted)}::jsonb)`);
}

/** `lapsed`: renewed after its end, so that sessions may have gone to others. `lost`: another incarnation has the name. */
export type Renewal = 'renewed' | 'lapsed' | 'lost';

/** Renews the lease of a replica whose name was taken. */
export async function renewLease(
  db: Database,
  lease: ReplicaIdentity & { leaseMs: number; state: 'active' | 'draining' | 'gone' },
): Promise<Renewal> {
  return db.call<Renewal>(sql`select attache_renew_lease(${JSON.stringify(lease)}::jsonb)`);
}

/** `leaseMs`: for how long, from the moment at which the database renewed it. `moves`: sessions that an operator wants elsewhere. */
export type KeptLease = {
  renewal: Renewal;
  leaseMs: number;
  isDrainAsked: boolean;
  moves: OwnedSession[];
  others: OtherGateway[];
};

/** Renews the lease of a gateway: for `leaseMs`, for `aloneMs` where no other gateway lives that could take its sessions. */
export async function keepLease(
  db: Database,
  lease: ReplicaIdentity & { leaseMs: number; aloneMs: number; state: 'active' | 'draining'; placement: Placement },
): Promise<KeptLease> {
  return db.call<KeptLease>(sql`select attache_keep_lease(${JSON.stringify(lease)}::jsonb)`);
}

/** Notes that an agent (uuid) is about to get a subprocess. `full`: its tenant runs as many agents as it may. */
export async function admitAgent(
  db: Database,
  agent: OwnedSession & { agentId: string },
  fence: Fence,
): Promise<'admitted' | 'full' | 'ownership-lost'> {
  return db.call(sql`select attache_admit_agent(${JSON.stringify({ ...agent, fence })}::jsonb)`, {
    tenantId: agent.tenantId,
  });
}

/** Parks a session that this holder owns, and says so in its log. False: it is not its owner's any more, or has ended. */
export async function parkSession(
  db: Database,
  session: OwnedSession,
  { fence, event }: { fence: Fence; event: NewEvent },
): Promise<boolean> {
  const parameters = JSON.stringify({ ...session, fence, events: toEventRows([event]) });
  return db.call<boolean>(sql`select attache_park_session(${parameters}::jsonb)`, {
    doorbells: [`log:${session.sessionId}`],
    tenantId: session.tenantId,
  });
}
