import { randomUUID } from 'node:crypto';
import { type Agent, type AgentRequest, Fault } from '@attache/contracts';
import { appendAsCaller, findSession, insertAgent, isUniqueViolation, sessionEnded } from '@attache/database';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { sessionNotFound } from '../not-found.ts';
import type { Keep } from '../once/run-once.ts';
import { resolveTargetOrRefuse } from './create-session.ts';

/** Adds an agent to an active session; its subprocess starts on need. */
export async function addAgent(
  deps: Pick<IngestDeps, 'db' | 'profiles'>,
  caller: Caller,
  sessionId: string,
  request: AgentRequest,
  keep: Keep,
): Promise<Agent> {
  const { tenantId, actor } = caller;
  const target = resolveTargetOrRefuse(deps, request.target);
  const { name, role } = request;
  try {
    return await deps.db.asTenant(tenantId, async (tx) => {
      const session = await findSession(tx, sessionId);
      if (!session) throw sessionNotFound();
      if (session.status === 'ended') throw sessionEnded();
      const agent = await insertAgent(tx, {
        tenantId,
        id: randomUUID(),
        sessionId,
        name,
        role,
        target,
        createdAt: new Date(),
      });
      await keep.inTransaction(tx, { agent });
      await appendAsCaller(tx, sessionId, [
        { kind: 'agent.added', actor, data: { agentId: agent.id, name, role, target } },
      ]);
      return agent;
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'agent_name')) throw error;
    throw new Fault('AGENT_NAME_TAKEN', `The session already has an agent named ${name}. Choose another name.`, {
      cause: error,
    });
  }
}
