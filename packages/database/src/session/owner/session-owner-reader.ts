import { and, asc, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm';
import { runStatement } from '../../connection/run-statement.ts';
import type { Database } from '../../database.ts';
import { replica, session, sessionOwner } from '../../schema.ts';

/** A gateway by name. `leaseMs`: until its lease ends; negative once it has. */
export type GatewayRow = {
  replicaId: string;
  state: 'active' | 'draining' | 'gone';
  leaseMs: number;
  isDrainAsked: boolean;
  startedAt: string;
  sessionCount: number;
};

/** The gateways that are known by name, in the order of their names, including those of which nothing is left. */
export const listGateways = (db: Database): Promise<GatewayRow[]> =>
  db.asWorker((tx) =>
    runStatement(
      tx,
      sql`select coalesce(jsonb_agg(jsonb_build_object('replicaId', r.id, 'state', r.state, 'isDrainAsked', r.drain_asked_at is not null,
            'leaseMs', round(extract(epoch from r.lease_until - now()) * 1000), 'startedAt', r.started_at,
            'sessionCount', (select count(*) from session_owner o where o.incarnation = r.incarnation and o.released_at is null)) order by r.id), '[]'::jsonb)
          from ${replica} r where r.id not like 'ingest-%'`,
    ),
  );

/** A session and the gateway that owns it or did so last, if any. */
export type OwnershipRow = {
  sessionId: string;
  replicaId: string | undefined;
  epoch: number | undefined;
  isOwned: boolean;
  deaths: number;
  isParked: boolean;
};

type Page = { tenantId: string; after: string | undefined; limit: number };

/** Sessions of a tenant that have or had an owner, by their ids, from the one behind `after`. */
export async function listOwnership(db: Database, { tenantId, after, limit }: Page): Promise<OwnershipRow[]> {
  const owners = await db.asWorker((tx) =>
    tx
      .select()
      .from(sessionOwner)
      .where(
        and(eq(sessionOwner.tenantId, tenantId), after === undefined ? undefined : gt(sessionOwner.sessionId, after)),
      )
      .orderBy(asc(sessionOwner.sessionId))
      .limit(limit),
  );
  const ids = owners.map(({ sessionId }) => sessionId);
  const parked = new Set(ids.length === 0 ? [] : await findParked(db, tenantId, ids));
  return owners.map((owner) => toOwnership(owner, owner.sessionId, parked.has(owner.sessionId)));
}

/** The same for those alone that are parked. */
export async function listParked(db: Database, { tenantId, after, limit }: Page): Promise<OwnershipRow[]> {
  const ids = await db.asTenant(tenantId, async (tx) => {
    const rows = await tx
      .select({ id: session.id })
      .from(session)
      .where(
        and(
          eq(session.tenantId, tenantId),
          isNotNull(session.parkedAt),
          after === undefined ? undefined : gt(session.id, after),
        ),
      )
      .orderBy(asc(session.id))
      .limit(limit);
    return rows.map(({ id }) => id);
  });
  if (ids.length === 0) return [];
  const owners = await db.asWorker((tx) =>
    tx
      .select()
      .from(sessionOwner)
      .where(and(eq(sessionOwner.tenantId, tenantId), inArray(sessionOwner.sessionId, ids))),
  );
  return ids.map((id) =>
    toOwnership(
      owners.find(({ sessionId }) => sessionId === id),
      id,
      true,
    ),
  );
}

const findParked = (db: Database, tenantId: string, ids: readonly string[]): Promise<string[]> =>
  db.asTenant(tenantId, async (tx) => {
    const rows = await tx
      .select({ id: session.id })
      .from(session)
      .where(and(eq(session.tenantId, tenantId), inArray(session.id, [...ids]), isNotNull(session.parkedAt)));
    return rows.map(({ id }) => id);
  });

function toOwnership(
  owner: typeof sessionOwner.$inferSelect | undefined,
  sessionId: string,
  isParked: boolean,
): OwnershipRow {
  return {
    sessionId,
    replicaId: owner?.replicaId,
    epoch: owner?.epoch,
    isOwned: owner !== undefined && owner.releasedAt === null,
    deaths: owner?.deaths ?? 0,
    isParked,
  };
}
