import type { AgentRole, AgentStatus, Target } from '@attache/contracts';
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { agent } from '../schema.ts';
import { describeAgent } from './agent-reader.ts';

export type NewAgent = {
  tenantId: string;
  id: string;
  sessionId: string;
  name: string;
  role: AgentRole;
  target: Target;
  createdAt: Date;
};

/** Adds an agent. The partial unique index `agent_name` refuses a name that is taken. */
export async function insertAgent(tx: Tx, { target, ...row }: NewAgent) {
  const [inserted] = await tx
    .insert(agent)
    .values({ ...row, ...target })
    .returning();
  if (!inserted) throw new Error('an insert returned no row');
  return describeAgent(inserted);
}

/** Takes an agent out of its session. False: it was not there. */
export async function removeAgent(tx: Tx, sessionId: string, agentId: string): Promise<boolean> {
  const removed = await tx
    .update(agent)
    .set({ removedAt: sql`now()` })
    .where(and(eq(agent.id, agentId), eq(agent.sessionId, sessionId), isNull(agent.removedAt)))
    .returning({ id: agent.id });
  return removed.length > 0;
}

/**
 * Gives an agent another target, for which its runtime will be started again. False: it is not in the session any more, or its target is
 * not the one of this version.
 */
export async function setAgentTarget(
  tx: Tx,
  { sessionId, agentId, version }: { sessionId: string; agentId: string; version: number },
  target: Target,
): Promise<boolean> {
  const changed = await tx
    .update(agent)
    .set({ ...target, targetVersion: version + 1, contextSince: sql`now()` })
    .where(
      and(
        eq(agent.id, agentId),
        eq(agent.sessionId, sessionId),
        eq(agent.targetVersion, version),
        isNull(agent.removedAt),
      ),
    )
    .returning({ id: agent.id });
  return changed.length > 0;
}

/** Notes that an agent's subprocess has just started or ended: from now on it holds nothing of what was written before. */
export async function emptyContext(tx: Tx, agentId: string): Promise<void> {
  await tx.update(agent).set({ contextSince: sql`now()` }).where(eq(agent.id, agentId));
}

/** Notes that an agent has no subprocess any more, or got none. */
export async function dismissAgent(tx: Tx, agentId: string): Promise<void> {
  await tx
    .update(agent)
    .set({ liveBy: null })
    .where(and(eq(agent.id, agentId), isNotNull(agent.liveBy)));
}

/** Sets the status of the subprocess as the gateway knows it. With `from`, only if that was the status before. */
export async function setAgentStatus(tx: Tx, agentId: string, status: AgentStatus, from?: AgentStatus): Promise<void> {
  const isFrom = from && eq(agent.status, from);
  await tx
    .update(agent)
    .set({ status })
    .where(and(eq(agent.id, agentId), isFrom));
}
