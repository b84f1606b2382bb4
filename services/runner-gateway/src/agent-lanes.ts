import { idFromUuid, isFault } from '@attache/contracts';
import { type AgentRow, type DeliveryRow, findAgent, readDeliveriesOfAgent } from '@attache/database';
import { startWakeLoop, type WakeLoop } from '@attache/event-bus';
import { deliver } from './deliver.ts';
import { type DeliverDeps, failDelivery } from './record-delivery.ts';
import type { SessionKey } from './session-ownership.ts';

/** One lane per agent: its deliveries start in seq order, one at a time; one that failed does not hold up the next. */
export type AgentLanes = {
  wake(session: SessionKey, agentId: string): void;
  /** Nothing comes for this agent any more. */
  forget(agentId: string): void;
  stop(): Promise<void>;
};

const RETRY_MS = 1_000;

type Head = { row: DeliveryRow; agent: AgentRow };

async function readHead(deps: DeliverDeps, session: SessionKey, agentId: string): Promise<Head | undefined> {
  return deps.db.asTenant(session.tenantId, async (tx) => {
    const [row] = await readDeliveriesOfAgent(tx, agentId, ['queued', 'prepared', 'claimed', 'written']);
    // An earlier one that is still queued comes first; the projector's next word about it wakes this lane again.
    if (row?.status !== 'prepared') return undefined;
    const agent = await findAgent(tx, agentId);
    return agent && { row, agent };
  });
}

async function takeNext(deps: DeliverDeps, session: SessionKey, agentId: string): Promise<boolean> {
  const head = await readHead(deps, session, agentId);
  if (!head || deps.isDraining()) return false;
  if (head.agent.removedAt === null) await deliver(deps, session, head.row, head.agent);
  else {
    await failDelivery(deps, session, head.row, {
      code: 'delivery_agent_missing',
      severity: 'error',
      agentId: idFromUuid('agent', agentId),
      userMessage: 'The agent was removed from its session. Send the message to another agent.',
      diagnostic: 'the agent is removed',
      retryable: false,
    });
  }
  return true;
}

export function createAgentLanes(deps: DeliverDeps): AgentLanes {
  const lanes = new Map<string, WakeLoop>();
  return {
    wake(session, agentId) {
      const lane = lanes.get(agentId);
      if (lane) return lane.wake();
      const opened: WakeLoop = startWakeLoop({
        round: () => takeNext(deps, session, agentId),
        onError: (error) => {
          deps.log.error({ err: error }, 'lane.failed');
          // Who owns the session now has the rest of it.
          if (!isFault(error, 'OWNERSHIP_LOST')) opened.wakeAfter(RETRY_MS);
        },
      });
      lanes.set(agentId, opened);
    },
    forget(agentId) {
      lanes.delete(agentId);
    },
    async stop() {
      await Promise.all([...lanes.values()].map((lane) => lane.stop()));
    },
  };
}
