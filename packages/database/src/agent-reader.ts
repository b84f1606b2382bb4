import { type Agent, idFromUuid } from '@attache/contracts';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Tx } from './database.ts';
import { agent } from './schema.ts';

export type AgentRow = typeof agent.$inferSelect;

/** Present agents of a session among the given uuids. */
export async function readAgents(tx: Tx, sessionId: string, agentIds: readonly string[]): Promise<AgentRow[]> {
  if (agentIds.length === 0) return [];
  return tx
    .select()
    .from(agent)
    .where(and(eq(agent.sessionId, sessionId), inArray(agent.id, [...agentIds]), isNull(agent.removedAt)));
}

/** Every agent that a session ever had. */
export async function readAllAgents(tx: Tx, sessionId: string): Promise<AgentRow[]> {
  return tx.select().from(agent).where(eq(agent.sessionId, sessionId));
}

/** An agent by uuid, removed or not. */
export async function findAgent(tx: Tx, agentId: string): Promise<AgentRow | undefined> {
  const [row] = await tx.select().from(agent).where(eq(agent.id, agentId));
  return row;
}

export function describeAgent(row: AgentRow): Agent {
  return {
    id: idFromUuid('agent', row.id),
    name: row.name,
    role: row.role,
    target: { profile: row.profile, runtime: row.runtime, provider: row.provider, model: row.model },
    status: row.removedAt === null ? row.status : 'stopped',
  };
}
