import { type Failure, idFromUuid, isFault } from '@attache/contracts';
import { type NextDelivery, readNextDelivery } from '@attache/database';
import { createWakeLoop, type WakeLoop } from '@attache/event-bus';
import { attachmentNotGranted } from '../materialise/attachment-failures.ts';
import { holdsEarlierAttempt } from '../memory/earlier-attempt.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { type DeliverDeps, deliver, type Progress } from './deliver.ts';
import { cancelUnwritten, failDelivery } from './record-delivery.ts';

/**
 * One lane per agent: its deliveries start in seq order, one at a time; if the runtime can, a delivery that comes during a turn enters it. One
 * that failed does not hold up the next. A lane in which nothing is left to do is gone until the next wake.
 */
export type AgentLanes = {
  /** `head` came with a ring: what is to be taken first, if nothing is known that is newer. */
  wake(session: SessionKey, agentId: string, head?: NextDelivery): void;
  /** Waits for the delivery that is in progress, and takes no other. */
  close(agentId: string): Promise<void>;
  /** The same for all agents of a session. */
  closeSession(sessionId: string): Promise<void>;
  /** Whether a session has a lane. */
  isBusy(sessionId: string): boolean;
  /** Those of the sessions that are held which have had a lane since `noteQuiet`. */
  filterBusy(held: readonly SessionKey[]): SessionKey[];
  /** Nothing of the session is in progress, as far as the database knows. */
  noteQuiet(sessionId: string): void;
  /** Whether this delivery is in progress. */
  isUnderWay(deliveryId: string): boolean;
  /** Opens no lane any more, or none of one session; those that are there continue. */
  refuse(sessionId?: string): void;
  /** Whether a lane of this session was refused since then: something waits in it. */
  wasRefused(sessionId: string): boolean;
  /** Opens lanes of this session again. */
  admit(sessionId: string): void;
  stop(): Promise<void>;
};

const RETRY_MS = 1_000;

type Lane = {
  sessionId: string;
  /** Has it look what waits. */
  wake(head?: NextDelivery): void;
  loop: WakeLoop;
  /** Deliveries in progress, by id: one, and those that entered its turn. */
  underWay: Map<string, Promise<void>>;
};

async function takeOne(deps: DeliverDeps, session: SessionKey, head: NextDelivery, progress: Progress): Promise<void> {
  if (head.sessionStatus === 'ended') return cancelUnwritten(deps, session, head.row);
  const obstacle = findObstacle(head);
  return obstacle ? failDelivery(deps, session, head.row, obstacle) : deliver(deps, session, head, progress);
}

/** Whether bringing it would start a process. */
const needsProcess = ({ host }: DeliverDeps, head: NextDelivery): boolean =>
  head.sessionStatus !== 'ended' && findObstacle(head) === undefined && !host.isRunning(head.agent);

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

/** Finds the delivery that may be taken now. A queued one comes before those behind it; the projector's next message about it wakes this lane again. */
function createLook(deps: DeliverDeps, { tenantId }: SessionKey, agentId: string) {
  // The delivery that the commit of the last answer found next; null if there was none.
  let known: NextDelivery | null | undefined;
  // The delivery that the last ring brought, until the lane has looked.
  let rung: NextDelivery | undefined;
  // Somebody reported that there may be more since the queue was last read from its head.
  let isRung = true;
  // More than one delivery has been in progress since then: the commit of an answer read a queue that the others were still changing.
  let isShared = false;
  const read = (isSteered: boolean) => readNextDelivery(deps.db, { tenantId, agentId, isSteered });

  const readSteered = async () => {
    if (!deps.host.isSteerable(agentId)) return undefined;
    isShared = true;
    return read(true);
  };
  const takeHead = async () => {
    const found = isShared ? undefined : known;
    const head = known === undefined && !isShared ? rung : undefined;
    known = undefined;
    rung = undefined;
    isShared = false;
    if (found === null && !isRung) return undefined;
    // If its agent has ended since, the delivery that was read may be out of date: its conversation, for example.
    if (found && deps.host.isRunning(found.agent)) return found;
    isRung = false;
    if (head && deps.host.isRunning(head.agent)) return head;
    return read(false);
  };
  return {
    ring(head?: NextDelivery) {
      isRung = true;
      rung = head;
    },
    learn(next: NextDelivery | null) {
      known = next;
    },
    async next(isBusy: boolean): Promise<NextDelivery | undefined> {
      const head = await (isBusy ? readSteered() : takeHead());
      return deps.isDraining() ? undefined : head;
    },
  };
}

/** `onQuiet` is called each time that nothing is left to do in it. */
function openLane(
  deps: DeliverDeps,
  session: SessionKey,
  { agentId, head, onQuiet }: { agentId: string; head: NextDelivery | undefined; onQuiet: (lane: Lane) => void },
): Lane {
  const underWay: Lane['underWay'] = new Map();
  const look = createLook(deps, session, agentId);
  look.ring(head);
  const loop = createWakeLoop();
  const wake = (head?: NextDelivery) => {
    look.ring(head);
    loop.wake();
  };
  const lane: Lane = { sessionId: session.sessionId, wake, loop, underWay };
  let isRetrying = false;
  // For room, or for its program.
  let isWaiting = false;
  const onError = (error: unknown) => {
    deps.log.error({ err: error }, 'lane.failed');
    // Who owns the session now has the rest of it.
    if (isFault(error, 'OWNERSHIP_LOST')) return;
    isRetrying = true;
    look.ring();
    loop.wakeAfter(RETRY_MS);
  };
  const round = async () => {
    isRetrying = false;
    isWaiting = false;
    const head = await look.next(underWay.size > 0);
    if (!head || underWay.has(head.row.id)) return false;
    // It begins in another process, which has to wait for the turn.
    if (underWay.size > 0 && holdsEarlierAttempt(head)) return false;
    if (underWay.size === 0 && needsProcess(deps, head)) {
      isWaiting = !(await deps.placement.admit(session, head.agent, () => wake()));
      if (isWaiting) return false;
    }
    deps.placement.begin(session, agentId);
    const work = takeOne(deps, session, head, { onSteerable: () => loop.wake(), onNext: look.learn })
      .catch(onError)
      .then(() => {
        underWay.delete(head.row.id);
        deps.placement.end(agentId);
        loop.wake();
      });
    underWay.set(head.row.id, work);
    return false;
  };
  const onRest = () => {
    if (underWay.size > 0 || isRetrying || isWaiting) return;
    deps.placement.forget(agentId);
    onQuiet(lane);
  };
  loop.start({ round, onError, onRest });
  return lane;
}

/** `onQuiet` is called when the last lane of a session may have gone. */
export function createAgentLanes(deps: DeliverDeps, onQuiet: (session: SessionKey) => void): AgentLanes {
  const lanes = new Map<string, Lane>();
  const refused = new Set<string>();
  const busy = new Set<string>();
  const waiting = new Set<string>();
  let isStopped = false;
  const ofSession = (sessionId: string) => [...lanes].filter(([, lane]) => lane.sessionId === sessionId);

  const closeLane = async (agentId: string) => {
    const lane = lanes.get(agentId);
    lanes.delete(agentId);
    if (!lane) return;
    await lane.loop.stop();
    await Promise.all(lane.underWay.values());
    deps.placement.forget(agentId);
  };

  return {
    wake(session, agentId, head) {
      const present = lanes.get(agentId);
      if (present) return present.wake(head);
      if (isStopped || refused.has(session.sessionId)) return void waiting.add(session.sessionId);
      const leave = (lane: Lane) => {
        if (lanes.get(agentId) === lane) lanes.delete(agentId);
        onQuiet(session);
      };
      lanes.set(agentId, openLane(deps, session, { agentId, head, onQuiet: leave }));
      busy.add(session.sessionId);
    },
    close: closeLane,
    async closeSession(sessionId) {
      await Promise.all(ofSession(sessionId).map(([agentId]) => closeLane(agentId)));
    },
    isBusy: (sessionId) => ofSession(sessionId).length > 0,
    filterBusy(held) {
      const found = held.filter(({ sessionId }) => busy.has(sessionId));
      // A session that is no longer held is its next owner's concern.
      busy.clear();
      for (const { sessionId } of found) busy.add(sessionId);
      return found;
    },
    noteQuiet(sessionId) {
      if (ofSession(sessionId).length === 0) busy.delete(sessionId);
    },
    isUnderWay: (deliveryId) => [...lanes.values()].some(({ underWay }) => underWay.has(deliveryId)),
    refuse(sessionId) {
      if (sessionId === undefined) isStopped = true;
      else refused.add(sessionId);
    },
    wasRefused: (sessionId) => waiting.has(sessionId),
    admit(sessionId) {
      refused.delete(sessionId);
      waiting.delete(sessionId);
    },
    async stop() {
      isStopped = true;
      await Promise.all([...lanes.keys()].map(closeLane));
    },
  };
}
