import { type Agent, idFromUuid } from '@attache/contracts';
import { eq } from 'drizzle-orm';
import type { Tx } from './database.ts';
import { agent } from './schema.ts';

export type AgentRow = typeof agent.$inferSelect;

/** Every agent that a session ever had. */
export async function readAllAgents(tx: Tx, sessionId: string): Promise<AgentRow[]> {
  return tx.select().from(agent).where(eq(agent.sessionId, sessionId));
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
