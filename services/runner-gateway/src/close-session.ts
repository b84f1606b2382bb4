import { idFromUuid } from '@attache/contracts';
import {
  appendEvents,
  type DeliveryRow,
  deliveryEventData,
  moveDelivery,
  readAllAgents,
  readDeliveriesOfAgent,
  readDeliveriesOfSession,
} from '@attache/database';
import type { AgentLanes } from './agent-lanes.ts';
import { appendAgentStopped } from './append-agent-stopped.ts';
import type { DeliverDeps } from './record-delivery.ts';
import type { SessionKey } from './session-ownership.ts';

const actor = { type: 'service', id: 'runner-gateway' } as const;

async function cancelUnwritten(deps: DeliverDeps, session: SessionKey, row: DeliveryRow): Promise<void> {
  await deps.ownership.asOwner(session, async (tx, epoch) => {
    const move = {
      to: 'cancelled',
      service: 'runner-gateway',
      epoch,
      code: 'delivery_cancelled',
      onlyUnwritten: true,
    } as const;
    if (!(await moveDelivery(tx, row, move))) return;
    await appendEvents(tx, session.sessionId, [{ kind: 'delivery.cancelled', actor, data: deliveryEventData(row) }]);
  });
}

async function cancelAll(deps: DeliverDeps, session: SessionKey, rows: readonly DeliveryRow[]): Promise<void> {
  for (const row of rows) {
    if (row.writingAt === null && row.status !== 'written') await cancelUnwritten(deps, session, row);
  }
}

/** Stops the agents of an ended session and removes what they kept; what was not written is cancelled. */
export async function closeSession(deps: DeliverDeps, lanes: AgentLanes, session: SessionKey): Promise<void> {
  const statuses = ['queued', 'prepared', 'claimed', 'written'] as const;
  const rows = await deps.db.asTenant(session.tenantId, (tx) =>
    readDeliveriesOfSession(tx, session.sessionId, statuses),
  );
  await cancelAll(deps, session, rows);
  await deps.host.stopSession(session.sessionId, 'session-ended');
  const agents = await deps.db.asTenant(session.tenantId, (tx) => readAllAgents(tx, session.sessionId));
  for (const agent of agents) {
    lanes.forget(agent.id);
    await deps.host.clean(agent.id);
  }
}

/** Stops one removed agent; its deliveries that were not written fail, since nobody is there to take them. */
export async function closeAgent(
  deps: DeliverDeps,
  lanes: AgentLanes,
  session: SessionKey,
  agentId: string,
): Promise<void> {
  const rows = await deps.db.asTenant(session.tenantId, (tx) =>
    readDeliveriesOfAgent(tx, agentId, ['queued', 'prepared', 'claimed']),
  );
  await cancelAll(deps, session, rows);
  const wasRunning = await deps.host.stop(agentId, 'removed');
  if (!wasRunning)
    await appendAgentStopped(deps, session, { agentId: idFromUuid('agent', agentId), reason: 'removed' });
  lanes.forget(agentId);
  await deps.host.clean(agentId);
}
