import { createAgentLanes } from '../deliver/agent-lanes.ts';
import type { DeliverDeps } from '../deliver/deliver.ts';
import type { GatewayDeps } from '../gateway-deps.ts';
import { type AgentHost, createAgentHost } from '../host/agent-host.ts';
import { createEarlyBytes } from '../materialise/early-bytes.ts';
import type { SessionKey, SessionOwnership } from '../ownership/session-ownership.ts';
import { createSessionRegistry, type SessionRegistry } from '../ownership/session-registry.ts';
import { readMemoryRoom } from '../placement/free-memory.ts';
import type { InstalledPrograms } from '../placement/installed-programs.ts';
import { createOtherGateways } from '../placement/other-gateways.ts';
import { createPlacement, type Placement } from '../placement/placement.ts';
import { createSlots } from '../placement/slots.ts';
import { settleSession } from '../recovery/recover-sessions.ts';
import { lineUpSuspects, type SuspectLanes } from '../recovery/suspect-line.ts';
import { createUseLedger } from '../use/use-ledger.ts';

export type Parts = { deps: DeliverDeps; lanes: SuspectLanes; sessions: SessionRegistry; placement: Placement };

type Steering = {
  isEntitled(): boolean;
  isStopping(): boolean;
  programs: InstalledPrograms;
  /** Lets go of a session for the gateway of this name. False: it stays. */
  send(session: SessionKey, replicaId: string): Promise<boolean>;
  /** The others are to know at once what there is room for. */
  tellOthers(): void;
};

/** Connects what delivers: agents, lanes and sessions, each of which tells the next when it has nothing left to do. */
export function connectParts(gatewayDeps: GatewayDeps, ownership: SessionOwnership, steering: Steering): Parts {
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
    onEnded(session) {
      placement.noteEnded(session.tenantId);
      sessions.look(session);
    },
  });
  const placement = placeAgents(gatewayDeps, ownership, { ...steering, host });
  const deps: DeliverDeps = {
    ...{ ...gatewayDeps, intake, ownership, use, host, placement },
    isDraining: steering.isStopping,
    early: createEarlyBytes(gatewayDeps.blobs),
  };
  const lanes = lineUpSuspects(createAgentLanes(deps, onQuiet));
  const sessions = createSessionRegistry({
    ...{ ownership, isEntitled: steering.isEntitled },
    settle: (session, claim) => settleSession(deps, lanes, session, claim),
    isBusy: (sessionId) => lanes.isBusy(sessionId) || host.isBusy(sessionId),
    stopAll: ({ sessionId }) => Promise.all([host.abandon(sessionId), lanes.closeSession(sessionId)]),
    rest: ({ sessionId }) => host.stopSession(sessionId, 'shutdown'),
    onError: (error) => log.warn({ err: error }, 'session.not_released'),
  });
  return { deps, lanes, sessions, placement };
}

function placeAgents(
  { db, log, settings, sharing }: GatewayDeps,
  ownership: SessionOwnership,
  { host, programs, send, tellOthers }: Steering & { host: AgentHost },
): Placement {
  const slots = createSlots({
    maxAgents: settings.maxAgents ?? Number.POSITIVE_INFINITY,
    readMemoryRoom,
    hasProcess: host.hasProcess,
    stop: (agentId) => void host.stop(agentId, 'idle').catch((err) => log.warn({ err }, 'agent.not_stopped')),
    onWaiting: tellOthers,
  });
  return createPlacement({
    ...{ db, ownership, slots, send },
    ...{ readPrograms: programs.names, lookForPrograms: programs.look },
    ...{ others: createOtherGateways(), onlyTenant: settings.pinnedTenant, isShared: sharing !== undefined },
  });
}
