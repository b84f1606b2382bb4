import { join } from 'node:path';
import { type Failure, idFromUuid } from '@attache/contracts';
import {
  type AgentRow,
  appendEvents,
  type DeliveryRow,
  deliveryEventData,
  emptyContext,
  findSession,
  readAllAgents,
  readDeliveriesOfSession,
  readFormerSessions,
  setAgentStatus,
  stepDelivery,
  untilAnswered,
} from '@attache/database';
import { logSessionsRecovered } from '@attache/telemetry';
import type { AgentLanes } from '../deliver/agent-lanes.ts';
import { type DeliverDeps, failDelivery } from '../deliver/record-delivery.ts';
import { readResumeReference } from '../host/resume-reference.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { SessionRegistry } from '../ownership/session-registry.ts';

const CONCURRENCY = 8;
const actor = { type: 'service', id: 'runner-gateway' } as const;

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

export type SettleDeps = Pick<DeliverDeps, 'db' | 'ownership' | 'log'>;

/** Gives back a delivery that was provably never written; of any other nobody can say whether the agent took it (DL-61). */
export async function settleDelivery(deps: SettleDeps, session: SessionKey, row: DeliveryRow): Promise<void> {
  if (row.status === 'written' || row.writingAt !== null) return failDelivery(deps, session, row, outcomeUnknown(row));
  await deps.ownership.step(session, (fence) =>
    stepDelivery(deps.db, {
      ...{ row, to: 'prepared', service: 'runner-gateway', fence, onlyUnwritten: true },
      events: [{ kind: 'delivery.queued', actor, data: deliveryEventData(row) }],
    }),
  );
}

// No subprocess of theirs lives any more, whatever they were doing; what a next one cannot go on with is forgotten.
async function markAgentsStopped(deps: DeliverDeps, session: SessionKey, agents: readonly AgentRow[]): Promise<void> {
  const forgetful: AgentRow[] = [];
  for (const agent of agents) {
    const folder = join(deps.settings.agentsFolder, idFromUuid('agent', agent.id));
    if ((await readResumeReference(folder, agent)) === undefined) forgetful.push(agent);
  }
  const lost = agents.filter(({ status }) => status === 'busy' || status === 'starting');
  if (forgetful.length + lost.length === 0) return;
  await deps.ownership.asOwner(session, async (tx) => {
    for (const agent of forgetful) await emptyContext(tx, agent.id);
    for (const agent of lost) await setAgentStatus(tx, agent.id, 'stopped');
    if (lost.length === 0) return;
    const stops = lost.map(({ id }) => {
      const data = { agentId: idFromUuid('agent', id), reason: 'owner-lost' } as const;
      return { kind: 'agent.stopped', actor, data } as const;
    });
    await appendEvents(tx, session.sessionId, stops);
  });
}

/** Settles what the last owner of a session had begun, and lets its agents go on. The session is this gateway's, under a new epoch. */
export async function settleSession(deps: DeliverDeps, lanes: AgentLanes, session: SessionKey): Promise<void> {
  const { status, deliveries, agents } = await deps.db.readAsTenant(session.tenantId, async (tx) => ({
    status: (await findSession(tx, session.sessionId))?.status,
    deliveries: await readDeliveriesOfSession(tx, session.sessionId, ['prepared', 'claimed', 'written']),
    // In the order in which rows of one table are locked.
    agents: (await readAllAgents(tx, session.sessionId)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }));
  for (const row of deliveries) if (row.status !== 'prepared') await settleDelivery(deps, session, row);
  if (status === 'active') await markAgentsStopped(deps, session, agents);
  for (const row of deliveries) lanes.wake(session, row.agentId);
}

/** Takes over what an earlier incarnation of this replica did not let go of. */
export async function recoverSessions(deps: DeliverDeps, sessions: SessionRegistry): Promise<void> {
  const { ownership } = deps;
  const patiently = <T>(work: () => Promise<T>) => untilAnswered(work, ownership.isWaiting);
  const left = await patiently(() => readFormerSessions(deps.db, ownership.identity));
  const count = left.length;
  const recoverRest = async () => {
    for (let session = left.pop(); session !== undefined && ownership.isWaiting(); session = left.pop()) {
      const recovered: SessionKey = session;
      using _visit = await patiently(() => sessions.visit(recovered));
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, recoverRest));
  logSessionsRecovered(deps.log, { sessions: count });
}
