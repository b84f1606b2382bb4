import { join } from 'node:path';
import { type Failure, idFromUuid, uuidFromId } from '@attache/contracts';
import {
  appendEvents,
  type DeliveryRow,
  emptyContext,
  findSession,
  moveDelivery,
  readDeliveriesOfSession,
  readFormerSessions,
  readSession,
  setAgentStatus,
} from '@attache/database';
import type { AgentLanes } from './agent-lanes.ts';
import { type DeliverDeps, failDelivery } from './record-delivery.ts';
import { readResumeReference } from './resume-reference.ts';
import type { SessionKey } from './session-ownership.ts';

function outcomeUnknown(row: DeliveryRow): Failure {
  return {
    code: 'delivery_outcome_unknown',
    severity: 'error',
    agentId: idFromUuid('agent', row.agentId),
    userMessage:
      'The gateway died while this message was on its way to the agent, and nothing proves whether it arrived. Look at what the agent did, then retry it by hand if needed.',
    diagnostic: 'the owner was lost after the first byte',
    retryable: true,
  };
}

// What was provably never written is given back; of the rest nobody can say whether the agent took it (DL-61).
async function settleDelivery(deps: DeliverDeps, session: SessionKey, row: DeliveryRow): Promise<void> {
  if (row.status === 'written' || row.writingAt !== null) return failDelivery(deps, session, row, outcomeUnknown(row));
  await deps.ownership.asOwner(session, (tx, epoch) =>
    moveDelivery(tx, row, { to: 'prepared', service: 'runner-gateway', epoch }),
  );
}

async function markAgentsStopped(deps: DeliverDeps, session: SessionKey): Promise<void> {
  const actor = { type: 'service', id: 'runner-gateway' } as const;
  await deps.ownership.asOwner(session, async (tx) => {
    const agents = (await readSession(tx, session.sessionId))?.agents ?? [];
    const lost = agents.filter((agent) => agent.status === 'busy' || agent.status === 'starting');
    // No subprocess of theirs lives any more, whatever they were doing; what a next one cannot go on with is forgotten.
    for (const agent of agents) {
      const folder = join(deps.settings.agentsFolder, agent.id);
      if ((await readResumeReference(folder, agent.target)) === undefined) await emptyContext(tx, uuidFromId(agent.id));
    }
    for (const agent of lost) await setAgentStatus(tx, uuidFromId(agent.id), 'stopped');
    if (lost.length === 0) return;
    await appendEvents(
      tx,
      session.sessionId,
      lost.map((agent) => ({ kind: 'agent.stopped', actor, data: { agentId: agent.id, reason: 'owner-lost' } })),
    );
  });
}

async function recoverSession(deps: DeliverDeps, lanes: AgentLanes, session: SessionKey): Promise<void> {
  if ((await deps.ownership.claim(session)) === undefined) return;
  const { row: found, deliveries } = await deps.db.asTenant(session.tenantId, async (tx) => ({
    row: await findSession(tx, session.sessionId),
    deliveries: await readDeliveriesOfSession(tx, session.sessionId, ['prepared', 'claimed', 'written']),
  }));
  if (!found) return;
  for (const row of deliveries) if (row.status !== 'prepared') await settleDelivery(deps, session, row);
  await markAgentsStopped(deps, session);
  for (const row of deliveries) lanes.wake(session, row.agentId);
}

/** Takes over what an earlier incarnation of this replica owned, under a higher epoch. Answers how many sessions. */
export async function recoverSessions(deps: DeliverDeps, lanes: AgentLanes): Promise<number> {
  const sessions = await readFormerSessions(deps.db, deps.ownership.identity);
  for (const session of sessions) await recoverSession(deps, lanes, session);
  return sessions.length;
}
