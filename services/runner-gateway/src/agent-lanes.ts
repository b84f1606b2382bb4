import { idFromUuid, isFault, uuidFromId } from '@attache/contracts';
import { findAgent, readAttachments, readDeliveriesOfAgent } from '@attache/database';
import { startWakeLoop, type WakeLoop } from '@attache/event-bus';
import { deliver, type NextDelivery } from './deliver.ts';
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

async function readHead(deps: DeliverDeps, session: SessionKey, agentId: string): Promise<NextDelivery | undefined> {
  return deps.db.readAsTenant(session.tenantId, async (tx) => {
    // Sent together: the answers come in one round trip.
    const [[row], agent] = await Promise.all([
      readDeliveriesOfAgent(tx, agentId, ['queued', 'prepared', 'claimed', 'written']),
      findAgent(tx, agentId),
    ]);
    // An earlier one that is still queued comes first; the projector's next word about it wakes this lane again.
    if (row?.status !== 'prepared' || !agent) return undefined;
    const ids = row.plan.items.map((item) => uuidFromId(item.attachmentId));
    const attachments = await readAttachments(tx, ids);
    return { row, agent, links: attachments.map(({ trace }) => trace ?? undefined) };
  });
}

async function takeNext(deps: DeliverDeps, session: SessionKey, agentId: string): Promise<boolean> {
  const head = await readHead(deps, session, agentId);
  if (!head || deps.isDraining()) return false;
  if (head.agent.removedAt === null) await deliver(deps, session, head);
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
