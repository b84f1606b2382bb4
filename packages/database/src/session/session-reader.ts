import { type Agent, idFromUuid, type Right, type Session } from '@attache/contracts';
import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { agent, participant, session } from '../schema.ts';
import { type AgentRow, describeAgent } from './agent-reader.ts';

export type SessionRow = typeof session.$inferSelect;

/** The session row, or undefined where it is unknown, deleted or another tenant's. */
export async function findSession(tx: Tx, sessionId: string): Promise<SessionRow | undefined> {
  const [row] = await tx
    .select()
    .from(session)
    .where(and(eq(session.id, sessionId), isNull(session.deletedAt)));
  return row;
}

/** The session with its present agents, as callers see it. */
export async function readSession(tx: Tx, sessionId: string): Promise<Session | undefined> {
  const row = await findSession(tx, sessionId);
  if (!row) return undefined;
  const agents = await tx
    .select()
    .from(agent)
    .where(and(eq(agent.sessionId, sessionId), isNull(agent.removedAt)))
    .orderBy(agent.createdAt, agent.id);
  return describeSession(row, agents.map(describeAgent));
}

export type SessionQuery = {
  status?: Session['status'] | undefined;
  externalId?: string | undefined;
  /** The last item of the page before. */
  after?: { createdAt: Date; id: string } | undefined;
  limit: number;
};

/** Sessions of the tenant with their present agents, newest first. */
export async function listSessions(tx: Tx, { status, externalId, after, limit }: SessionQuery): Promise<Session[]> {
  const rows = await tx
    .select()
    .from(session)
    .where(
      and(
        isNull(session.deletedAt),
        status && eq(session.status, status),
        externalId === undefined ? undefined : eq(session.externalId, externalId),
        // A comparison of rows, which one look into the index answers.
        after &&
          sql`(${session.createdAt}, ${session.id}) < (${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`,
      ),
    )
    .orderBy(desc(session.createdAt), desc(session.id))
    .limit(limit);
  const agents = await readAgentsOf(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => describeSession(row, (agents.get(row.id) ?? []).map(describeAgent)));
}

/** The present agents of these sessions, by the sessions' uuids. */
async function readAgentsOf(tx: Tx, sessionIds: readonly string[]): Promise<Map<string, AgentRow[]>> {
  if (sessionIds.length === 0) return new Map();
  const rows = await tx
    .select()
    .from(agent)
    .where(and(inArray(agent.sessionId, [...sessionIds]), isNull(agent.removedAt)))
    .orderBy(agent.createdAt, agent.id);
  return Map.groupBy(rows, ({ sessionId }) => sessionId);
}

export function describeSession(row: SessionRow, agents: Agent[]): Session {
  return {
    id: idFromUuid('session', row.id),
    ...(row.externalId === null ? {} : { externalId: row.externalId }),
    status: row.status,
    agents,
    replayPolicy: row.replayPolicy,
    conversions: row.conversions,
    metadata: row.metadata,
    createdAt: row.createdAt.toISOString(),
    schemaVersion: row.schemaVersion,
  };
}

/** Rights of a user in a session, and the generation of the user's tokens there; undefined where the user is no participant. */
export async function readParticipant(
  tx: Tx,
  sessionId: string,
  userId: string,
): Promise<{ rights: Right[]; tokenGeneration: number } | undefined> {
  const [row] = await tx
    .select({ rights: participant.rights, tokenGeneration: participant.tokenGeneration })
    .from(participant)
    .where(and(eq(participant.sessionId, sessionId), eq(participant.userId, userId)));
  return row;
}
