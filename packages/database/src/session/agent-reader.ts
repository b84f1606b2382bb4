import { type Agent, idFromUuid } from '@attache/contracts';
import { and, eq, isNull } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { agent } from '../schema.ts';

export type AgentRow = typeof agent.$inferSelect;

/** Every agent that a session ever had. */
export async function readAllAgents(tx: Tx, sessionId: string): Promise<AgentRow[]> {
  return tx.select().from(agent).where(eq(agent.sessionId, sessionId));
}

/** Which of its targets an agent has, and keeps until the transaction ends. Undefined: it is removed, or unknown. */
export async function holdTargetVersion(tx: Tx, agentId: string): Promise<number | undefined> {
  const [row] = await tx
    .select({ version: agent.targetVersion })
    .from(agent)
    .where(and(eq(agent.id, agentId), isNull(agent.removedAt)))
    .for('share');
  return row?.version;
}

/** An agent that is in this session now. Undefined: unknown, of another session, or removed. */
export async function findAgent(tx: Tx, sessionId: string, agentId: string): Promise<AgentRow | undefined> {
  const [row] = await tx
    .select()
    .from(agent)
    .where(and(eq(agent.id, agentId), eq(agent.sessionId, sessionId), isNull(agent.removedAt)));
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
