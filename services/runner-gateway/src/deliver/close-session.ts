import { idFromUuid } from '@attache/contracts';
import {
  type DeliveryRow,
  readAllAgents,
  readDeliveriesOfAgent,
  readDeliveriesOfSession,
  type Tx,
} from '@attache/database';
import type { AgentHost, StopReason } from '../host/agent-host.ts';
import { appendAgentStopped } from '../host/append-agent-stopped.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { AgentLanes } from './agent-lanes.ts';
import { cancelUnwritten, type RecordDeps } from './record-delivery.ts';

type CloseDeps = RecordDeps & { host: Pick<AgentHost, 'stop' | 'clean'> };

type Closing = Pick<AgentLanes, 'close'>;

const unwritten = ['queued', 'prepared', 'claimed'] as const;

// A delivery may be moved on meanwhile: the remaining ones are looked at again.
async function cancelAll(
  deps: CloseDeps,
  session: SessionKey,
  read: (tx: Tx) => Promise<DeliveryRow[]>,
): Promise<void> {
  for (;;) {
    const found = await deps.db.readAsTenant(session.tenantId, read);
    const rows = found.filter(({ writingAt }) => writingAt === null);
    if (rows.length === 0) return;
    for (const row of rows) await cancelUnwritten(deps, session, row);
  }
}

// One that was being started for a delivery is found after its lane has come to rest.
async function stopAgent(
  deps: CloseDeps,
  lanes: Closing,
  session: SessionKey,
  { agentId, reason }: { agentId: string; reason: StopReason },
): Promise<boolean> {
  const wasRunning = await deps.host.stop(agentId, reason);
  await lanes.close(agentId);
  const wasStarted = await deps.host.stop(agentId, reason);
  await deps.host.clean(session, agentId);
  return wasRunning || wasStarted;
}

/** Stops the agents of an ended session and removes their files; deliveries that were not written are cancelled. */
export async function closeSession(deps: CloseDeps, lanes: Closing, session: SessionKey): Promise<void> {
  const { tenantId, sessionId } = session;
  await cancelAll(deps, session, (tx) => readDeliveriesOfSession(tx, sessionId, unwritten));
  const agents = await deps.db.readAsTenant(tenantId, (tx) => readAllAgents(tx, sessionId));
  await Promise.all(agents.map(({ id }) => stopAgent(deps, lanes, session, { agentId: id, reason: 'session-ended' })));
}

/** Stops one removed agent and removes its files; deliveries that were not written to it are cancelled. */
export async function closeAgent(deps: CloseDeps, lanes: Closing, session: SessionKey, agentId: string): Promise<void> {
  await cancelAll(deps, session, (tx) => readDeliveriesOfAgent(tx, agentId, unwritten));
  const wasRunning = await stopAgent(deps, lanes, session, { agentId, reason: 'removed' });
  if (!wasRunning)
    await appendAgentStopped(
      deps,
      session,
      { agentId: idFromUuid('agent', agentId), reason: 'removed' },
      { keepsContext: false },
    );
}
