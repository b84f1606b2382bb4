import { idFromUuid, isFault } from '@attache/contracts';
import { readNextDelivery } from '@attache/database';
import { startWakeLoop, type WakeLoop } from '@attache/event-bus';
import { deliver } from './deliver.ts';
import { cancelUnwritten, type DeliverDeps, failDelivery } from './record-delivery.ts';
import type { SessionKey } from './session-ownership.ts';

/** One lane per agent: its deliveries start in seq order, one at a time; one that failed does not hold up the next. */
export type AgentLanes = {
  wake(session: SessionKey, agentId: string): void;
  /** Waits for the delivery that is under way, and takes no other. */
  close(agentId: string): Promise<void>;
  stop(): Promise<void>;
};

const RETRY_MS = 1_000;

async function takeNext(deps: DeliverDeps, session: SessionKey, agentId: string): Promise<boolean> {
  // One that is still queued comes before those behind it; the projector's next word about it wakes this lane again.
  const head = await readNextDelivery(deps.db, { tenantId: session.tenantId, agentId });
  if (!head || deps.isDraining()) return false;
  if (head.sessionStatus === 'ended') await cancelUnwritten(deps, session, head.row);
  else if (head.agent.removedAt === null) await deliver(deps, session, head);
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
    async close(agentId) {
      const lane = lanes.get(agentId);
      lanes.delete(agentId);
      await lane?.stop();
    },
    async stop() {
      await Promise.all([...lanes.values()].map((lane) => lane.stop()));
    },
  };
}
