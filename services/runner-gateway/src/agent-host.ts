import { randomBytes } from 'node:crypto';
import { cp, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentExit, type AgentSpec, childMarker, type RunningAgent } from '@attache/agent-process';
import {
  type DeliveryId,
  type EventData,
  type Failure,
  type FailureCode,
  idFromUuid,
  type Profile,
} from '@attache/contracts';
import type { AgentRow } from '@attache/database';
import { logAgentStarted, logAgentStopped } from '@attache/telemetry';
import { type AgentSocket, openAgentSocket } from './agent-socket/open-agent-socket.ts';
import { appendAgentStopped } from './append-agent-stopped.ts';
import { describeCommand } from './describe-command.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { createDriverHooks } from './record-output.ts';
import { resolveSecrets } from './resolve-secrets.ts';
import type { SessionKey, SessionOwnership } from './session-ownership.ts';

const TURN_MS = 30 * 60_000;
const START_MS = 30_000;
const IDLE_STOP_MS = 15 * 60_000;
const STOP_GRACE_MS = 3_000;

export type StopReason = EventData<'agent.stopped'>['reason'];

/** A running subprocess of one agent, with its socket and folder. */
export type HostedAgent = {
  running: RunningAgent;
  folder: string;
  transport: string;
  /** Names the turn that is running, for what the agent says meanwhile. */
  setDelivery(deliveryId: DeliveryId | undefined): void;
};

export type Started = { status: 'started'; agent: HostedAgent } | { status: 'failed'; failure: Failure };

type Entry = {
  session: SessionKey;
  hosted: HostedAgent;
  socket: AgentSocket;
  profile: Profile;
  idleTimer: NodeJS.Timeout | undefined;
  stopReason: StopReason | undefined;
  recorded: Promise<void>;
};

type Deps = GatewayDeps & { ownership: SessionOwnership };

/** Starts agents' subprocesses on need and stops them; at most one per agent. */
export type AgentHost = {
  start(session: SessionKey, row: AgentRow): Promise<Started>;
  /** Lets the idle time run; the next start ends it. */
  rest(agentId: string): void;
  interrupt(agentId: string): Promise<void>;
  /** False: it was not running. */
  stop(agentId: string, reason: StopReason): Promise<boolean>;
  stopSession(sessionId: string, reason: StopReason): Promise<void>;
  stopAll(reason: StopReason): Promise<void>;
  /** Removes what an agent kept (BX-20). */
  clean(agentId: string): Promise<void>;
};

function startFailure(row: AgentRow, code: FailureCode, userMessage: string): Started {
  const failure: Failure = {
    code,
    severity: 'error',
    agentId: idFromUuid('agent', row.id),
    provider: row.provider,
    model: row.model,
    userMessage,
    diagnostic: `profile ${row.profile}, runtime ${row.runtime}`,
    retryable: true,
  };
  return { status: 'failed', failure };
}

async function describeSpec(
  deps: Deps,
  row: AgentRow,
  profile: Profile,
  place: { folder: string; socketPath: string; token: string },
): Promise<AgentSpec> {
  const { replicaId, incarnation } = deps.ownership.identity;
  return {
    agentId: idFromUuid('agent', row.id),
    command: describeCommand(deps.settings, profile),
    args: profile.args,
    env: { ...profile.env, ...(await resolveSecrets(profile, deps.settings.readVariable)) },
    ...place,
    lineBytes: profile.limits.lineBytes,
    turnMs: profile.limits.turnMs ?? TURN_MS,
    startMs: START_MS,
    marker: childMarker({ replica: replicaId, incarnation }),
  };
}

// A profile's home (a sign-in, settings) is copied once, when the agent's folder is new.
async function prepareFolder(folder: string, home: string | undefined): Promise<void> {
  const isNew = !(await stat(folder).catch(() => undefined));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (isNew && home !== undefined) await cp(home, folder, { recursive: true });
}

export function createAgentHost(deps: Deps): AgentHost {
  const entries = new Map<string, Entry>();
  const folderOf = (agentId: string) => join(deps.settings.agentsFolder, idFromUuid('agent', agentId));

  const recordStop = async (row: AgentRow, entry: Entry, exit: AgentExit) => {
    const reason = entry.stopReason ?? 'crashed';
    const agentId = idFromUuid('agent', row.id);
    logAgentStopped(deps.log, { agentId, reason, exitCode: exit.exitCode ?? undefined });
    const data = {
      agentId,
      reason,
      ...(exit.exitCode === null ? {} : { exitCode: exit.exitCode }),
      ...(exit.signal === null ? {} : { signal: exit.signal }),
      ...(reason === 'crashed' && exit.diagnostic !== '' ? { diagnostic: exit.diagnostic } : {}),
    };
    await appendAgentStopped(deps, entry.session, data);
  };

  const watch = (row: AgentRow, entry: Entry) =>
    entry.hosted.running.exited.then(async (exit) => {
      clearTimeout(entry.idleTimer);
      entries.delete(row.id);
      await entry.socket.close();
      await recordStop(row, entry, exit);
    });

  const launch = async (session: SessionKey, row: AgentRow, profile: Profile): Promise<Started> => {
    const driver = deps.drivers[row.runtime];
    if (!driver)
      return startFailure(row, 'delivery_agent_start_failed', `No driver for the runtime ${row.runtime} is here.`);
    const startedAt = performance.now();
    const folder = folderOf(row.id);
    await prepareFolder(folder, profile.home);
    let deliveryId: DeliveryId | undefined;
    const token = `ata_${randomBytes(32).toString('base64url')}`;
    const socket = await openAgentSocket(deps, { session, agentId: row.id, token, folder });
    const hooks = createDriverHooks(deps, { session, agentId: row.id, currentDelivery: () => deliveryId });
    const outcome = await driver.start(
      await describeSpec(deps, row, profile, { folder, socketPath: socket.path, token }),
      hooks,
    );
    if (outcome.status === 'failed') {
      await socket.close();
      return outcome;
    }
    const hosted: HostedAgent = {
      running: outcome.agent,
      folder,
      transport: `${row.runtime}/stdio`,
      setDelivery: (next) => {
        deliveryId = next;
      },
    };
    const entry: Entry = {
      session,
      hosted,
      socket,
      profile,
      idleTimer: undefined,
      stopReason: undefined,
      recorded: Promise.resolve(),
    };
    entries.set(row.id, entry);
    entry.recorded = watch(row, entry).catch((error) => deps.log.warn({ err: error }, 'agent.stop_not_recorded'));
    const epoch = deps.ownership.fenceOf(session).epoch;
    logAgentStarted(deps.log, {
      agentId: idFromUuid('agent', row.id),
      runtime: row.runtime,
      epoch,
      durationMs: performance.now() - startedAt,
    });
    return { status: 'started', agent: hosted };
  };

  const stop = async (agentId: string, reason: StopReason) => {
    const entry = entries.get(agentId);
    if (!entry) return false;
    entry.stopReason ??= reason;
    clearTimeout(entry.idleTimer);
    await entry.hosted.running.stop({ graceMs: STOP_GRACE_MS });
    await entry.recorded;
    return true;
  };
  const stopWhere = async (matches: (entry: Entry) => boolean, reason: StopReason) => {
    const agentIds = [...entries].filter(([, entry]) => matches(entry)).map(([agentId]) => agentId);
    await Promise.all(agentIds.map((agentId) => stop(agentId, reason)));
  };

  return {
    async start(session, row) {
      const entry = entries.get(row.id);
      if (entry) {
        clearTimeout(entry.idleTimer);
        return { status: 'started', agent: entry.hosted };
      }
      const profile = deps.profiles[row.profile];
      if (profile) return launch(session, row, profile);
      return startFailure(row, 'delivery_target_unknown', `The profile ${row.profile} is no longer offered here.`);
    },
    rest(agentId) {
      const entry = entries.get(agentId);
      if (!entry) return;
      entry.idleTimer = setTimeout(() => void stop(agentId, 'idle'), entry.profile.limits.idleStopMs ?? IDLE_STOP_MS);
      entry.idleTimer.unref();
    },
    async interrupt(agentId) {
      await entries.get(agentId)?.hosted.running.interrupt();
    },
    stop,
    stopSession: (sessionId, reason) => stopWhere((entry) => entry.session.sessionId === sessionId, reason),
    stopAll: (reason) => stopWhere(() => true, reason),
    async clean(agentId) {
      await rm(folderOf(agentId), { recursive: true, force: true });
    },
  };
}
