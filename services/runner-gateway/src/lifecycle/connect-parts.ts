import { createAgentLanes } from '../deliver/agent-lanes.ts';
import type { DeliverDeps } from '../deliver/deliver.ts';
import type { GatewayDeps } from '../gateway-deps.ts';
import { createAgentHost } from '../host/agent-host.ts';
import type { SessionKey, SessionOwnership } from '../ownership/session-ownership.ts';
import { createSessionRegistry, type SessionRegistry } from '../ownership/session-registry.ts';
import { settleSession } from '../recovery/recover-sessions.ts';
import { lineUpSuspects, type SuspectLanes } from '../recovery/suspect-line.ts';
import { createUseLedger } from '../use/use-ledger.ts';

export type Parts = { deps: DeliverDeps; lanes: SuspectLanes; sessions: SessionRegistry };

/** Connects what delivers: agents, lanes and sessions, each of which tells the next when it has nothing left to do. */
export function connectParts(
  gatewayDeps: GatewayDeps,
  ownership: SessionOwnership,
  { isEntitled, isStopping }: { isEntitled: () => boolean; isStopping: () => boolean },
): Parts {
  const { db, log } = gatewayDeps;
  const intake = { ...gatewayDeps.intake, holder: ownership.identity.incarnation };
  const use = createUseLedger({ db, log });
  const onQuiet = (session: SessionKey) => {
    lanes.endTurn(session.sessionId);
    sessions.look(session);
  };
  const host = createAgentHost({
    ...gatewayDeps,
    intake,
    ownership,
    use,
    onEnded: (session) => sessions.look(session),
  });
  const deps: DeliverDeps = { ...gatewayDeps, intake, ownership, use, host, isDraining: isStopping };
  const lanes = lineUpSuspects(createAgentLanes(deps, onQuiet));
  const sessions = createSessionRegistry({
    ...{ ownership, isEntitled },
    settle: (session, claim) => settleSession(deps, lanes, session, claim),
    isBusy: (sessionId) => lanes.isBusy(sessionId) || host.isBusy(sessionId),
    stopAll: ({ sessionId }) => Promise.all([host.abandon(sessionId), lanes.closeSession(sessionId)]),
    rest: ({ sessionId }) => host.stopSession(sessionId, 'shutdown'),
    onError: (error) => log.warn({ err: error }, 'session.not_released'),
  });
  return { deps, lanes, sessions };
}
