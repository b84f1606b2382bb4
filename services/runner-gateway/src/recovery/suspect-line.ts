import type { AgentLanes } from '../deliver/agent-lanes.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';

/** How long the others wait for one whose turn does not end. */
const TURN_MS = 30_000;

/** The lanes in which sessions that may have killed a gateway continue one after the other: the one that did it takes no others with it again. */
export type SuspectLanes = AgentLanes & {
  /** A gateway died while a delivery of this session was in progress. It continues when its turn has come. */
  suspect(session: SessionKey): void;
  /** No lane of the session is left: the next one has its turn. */
  endTurn(sessionId: string): void;
};

export function lineUpSuspects(lanes: AgentLanes): SuspectLanes {
  const waiting = new Map<string, { session: SessionKey; agentIds: Set<string> }>();
  let current: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  const begin = (sessionId: string) => {
    current = sessionId;
    timer = setTimeout(goOn, TURN_MS).unref();
  };
  function goOn(): void {
    clearTimeout(timer);
    current = undefined;
    const [next] = waiting.values();
    if (!next) return;
    waiting.delete(next.session.sessionId);
    begin(next.session.sessionId);
    for (const agentId of next.agentIds) lanes.wake(next.session, agentId);
  }

  return {
    ...lanes,
    wake(session, agentId, head) {
      const held = waiting.get(session.sessionId);
      if (held) held.agentIds.add(agentId);
      else lanes.wake(session, agentId, head);
    },
    isBusy: (sessionId) => waiting.has(sessionId) || lanes.isBusy(sessionId),
    async closeSession(sessionId) {
      waiting.delete(sessionId);
      await lanes.closeSession(sessionId);
    },
    suspect(session) {
      const { sessionId } = session;
      if (current === undefined) begin(sessionId);
      else if (current !== sessionId && !waiting.has(sessionId))
        waiting.set(sessionId, { session, agentIds: new Set() });
    },
    endTurn(sessionId) {
      if (current === sessionId) goOn();
    },
  };
}
