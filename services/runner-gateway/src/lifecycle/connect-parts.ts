import { createAgentLanes } from '../deliver/agent-lanes.ts';
import type { DeliverDeps } from '../deliver/deliver.ts';
import { createLeftFolders } from '../files/left-folders.ts';
import type { GatewayDeps } from '../gateway-deps.ts';
import { createRequestPace } from '../granted/request-pace.ts';
import { createAgentConnections } from '../host/agent-connections.ts';
import { type AgentHost, createAgentHost } from '../host/agent-host.ts';
import { createEarlyBytes } from '../materialise/early-bytes.ts';
import type { LeaseKeeping } from '../ownership/keep-lease.ts';
import type { SessionOwnership } from '../ownership/session-ownership.ts';
import { createSessionRegistry, type SessionRegistry } from '../ownership/session-registry.ts';
import { readMemoryRoom } from '../placement/free-memory.ts';
import type { InstalledPrograms } from '../placement/installed-programs.ts';
import { createOtherGateways } from '../placement/other-gateways.ts';
import { createPlacement, type Placement } from '../placement/placement.ts';
import { createSlots } from '../placement/slots.ts';
import { settleSession } from '../recovery/recover-sessions.ts';
import { lineUpSuspects, type SuspectLanes } from '../recovery/suspect-line.ts';
import { createUseLedger } from '../use/use-ledger.ts';
import type { Upcalls } from './upcalls.ts';

const DEFAULT_AGENT_CONNECTIONS = 8_192;

export type Parts = { deps: DeliverDeps; lanes: SuspectLanes; sessions: SessionRegistry; placement: Placement };

type Steering = {
  calls: Upcalls;
  lease: Pick<LeaseKeeping, 'isEntitled' | 'tell'>;
  isStopping(): boolean;
  programs: InstalledPrograms;
};

/** Connects what delivers: agents, their places, lanes and sessions. */
export function connectParts(gatewayDeps: GatewayDeps, ownership: SessionOwnership, steering: Steering): Parts {
  const { db, log } = gatewayDeps;
  const intake = { ...gatewayDeps.intake, holder: ownership.identity.incarnation };
  const use = createUseLedger({ db, log });
  const { maxAgentConnections: maxConnections = DEFAULT_AGENT_CONNECTIONS } = gatewayDeps.settings;
  const connections = createAgentConnections({ maxConnections, log });
  const leftFolders = createLeftFolders({ agentsFolder: gatewayDeps.settings.agentsFolder, log });
  const { calls, lease } = steering;
  const owning = { ...gatewayDeps, intake, ownership, use, connections, pace: createRequestPace(), leftFolders };
  const host = createAgentHost({ ...owning, onEnded: calls.onEnded });
  const placement = placeAgents(gatewayDeps, ownership, { ...steering, host });
  const deps: DeliverDeps = {
    ...{ ...owning, host, placement },
    isDraining: steering.isStopping,
    early: createEarlyBytes(gatewayDeps.blobs),
  };
  const lanes = lineUpSuspects(createAgentLanes(deps, calls.onQuiet));
  const sessions = createSessionRegistry({
    ...{ ownership, isEntitled: lease.isEntitled },
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
  { host, programs, lease, calls }: Steering & { host: AgentHost },
): Placement {
  const slots = createSlots({
    maxAgents: settings.maxAgents ?? Number.POSITIVE_INFINITY,
    readMemoryRoom,
    hasProcess: host.hasProcess,
    stop: (agentId) => void host.stop(agentId, 'idle').catch((err) => log.warn({ err }, 'agent.not_stopped')),
    // The others are to know at once that there is no room.
    onWaiting: lease.tell,
  });
  return createPlacement({
    ...{ db, ownership, slots, send: calls.send },
    ...{ readPrograms: programs.names, lookForPrograms: programs.look },
    ...{ others: createOtherGateways(), onlyTenant: settings.pinnedTenant, isShared: sharing !== undefined },
    programMs: settings.limits?.programMs,
  });
}
