import { type Failure, idFromUuid, isFault } from '@attache/contracts';
import { type NextDelivery, readNextDelivery } from '@attache/database';
import { startWakeLoop, type WakeLoop } from '@attache/event-bus';
import { attachmentNotGranted } from './attachment-failures.ts';
import { deliver } from './deliver.ts';
import { cancelUnwritten, type DeliverDeps, failDelivery } from './record-delivery.ts';
import type { SessionKey } from './session-ownership.ts';

/**
 * One lane per agent: its deliveries start in seq order, one at a time; where the runtime can, what comes during a turn enters it. One
 * that failed does not hold up the next.
 */
export type AgentLanes = {
  wake(session: SessionKey, agentId: string): void;
  /** Waits for the delivery that is under way, and takes no other. */
  close(agentId: string): Promise<void>;
  stop(): Promise<void>;
};

const RETRY_MS = 1_000;

type Lane = {
  loop: WakeLoop;
  /** Deliveries under way: one, and those that entered its turn. */
  underWay: Set<Promise<void>>;
};

async function takeOne(deps: DeliverDeps, session: SessionKey, head: NextDelivery): Promise<void> {
  if (head.sessionStatus === 'ended') return cancelUnwritten(deps, session, head.row);
  const obstacle = findObstacle(head);
  return obstacle ? failDelivery(deps, session, head.row, obstacle) : deliver(deps, session, head);
}

/** Why a delivery is not even begun. */
function findObstacle({ agent, notGranted }: NextDelivery): Failure | undefined {
  if (agent.removedAt !== null) return agentRemoved(agent.id);
  const [withheld] = notGranted;
  return withheld === undefined ? undefined : attachmentNotGranted(idFromUuid('attachment', withheld));
}

function agentRemoved(agentId: string): Failure {
  return {
    code: 'delivery_agent_missing',
    severity: 'error',
    agentId: idFromUuid('agent', agentId),
    userMessage: 'The agent was removed from its session. Send the message to another agent.',
    diagnostic: 'the agent is removed',
    retryable: false,
  };
}

/** What may be taken now. One that is still queued comes before those behind it; the projector's next word about it wakes this lane again. */
async function findNext(
  deps: DeliverDeps,
  { tenantId }: SessionKey,
  agentId: string,
  isBusy: boolean,
): Promise<NextDelivery | undefined> {
  if (isBusy && !deps.host.isSteerable(agentId)) return undefined;
  const head = await readNextDelivery(deps.db, { tenantId, agentId, isSteered: isBusy });
  return deps.isDraining() ? undefined : head;
}

export function createAgentLanes(deps: DeliverDeps): AgentLanes {
  const lanes = new Map<string, Lane>();

  function openLane(session: SessionKey, agentId: string): Lane {
    const underWay = new Set<Promise<void>>();
    const onError = (error: unknown) => {
      deps.log.error({ err: error }, 'lane.failed');
      // Who owns the session now has the rest of it.
      if (!isFault(error, 'OWNERSHIP_LOST')) loop.wakeAfter(RETRY_MS);
    };
    const round = async () => {
      const head = await findNext(deps, session, agentId, underWay.size > 0);
      if (!head) return false;
      const work = takeOne(deps, session, head)
        .catch(onError)
        .then(() => {
          underWay.delete(work);
          loop.wake();
        });
      underWay.add(work);
      return false;
    };
    const loop: WakeLoop = startWakeLoop({ round, onError });
    return { loop, underWay };
  }

  const stopLane = async ({ loop, underWay }: Lane) => {
    await loop.stop();
    await Promise.all(underWay);
  };

  return {
    wake(session, agentId) {
      const lane = lanes.get(agentId);
      if (lane) return lane.loop.wake();
      lanes.set(agentId, openLane(session, agentId));
    },
    async close(agentId) {
      const lane = lanes.get(agentId);
      lanes.delete(agentId);
      if (lane) await stopLane(lane);
    },
    async stop() {
      await Promise.all([...lanes.values()].map(stopLane));
    },
  };
}
