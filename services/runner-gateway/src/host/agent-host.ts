import { join } from 'node:path';
import type { AgentExit } from '@attache/agent-process';
import { type ContinuedBy, type EventData, idFromUuid, type Profile } from '@attache/contracts';
import {
  type AgentRow,
  appendEvents,
  emptyContext,
  forgetEarlierAttempts,
  hasHistory,
  type NewEvent,
} from '@attache/database';
import { logAgentStopped } from '@attache/telemetry';
import type { OwningDeps } from '../gateway-deps.ts';
import { forgetMemory } from '../memory/forget-memory.ts';
import { restoredFolderOf } from '../memory/recall-memory.ts';
import { dropReference, readResumeReference, targetOf } from '../memory/resume-reference.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { Trials } from '../quarantine/agent-quarantine.ts';
import type { AgentMemory } from './agent-memory.ts';
import { appendAgentStopped } from './append-agent-stopped.ts';
import { createIdleTimer, type IdleTimer } from './idle-timer.ts';
import { type HostedAgent, type Launched, launchAgent } from './launch-agent.ts';
import { startFailure } from './start-failure.ts';

const IDLE_STOP_MS = 15 * 60_000;
const STOP_GRACE_MS = 3_000;

export type StopReason = EventData<'agent.stopped'>['reason'];

type Entry = {
  session: SessionKey;
  hosted: HostedAgent;
  /** The target that it was started for: another target is another process (BX-06). */
  target: string;
  memoryVersion: number;
  idle: IdleTimer;
  stopReason: StopReason | undefined;
  /** Settles when its end is in the log. */
  recorded: Promise<void>;
};

/** Starts agents' subprocesses on need and stops them; at most one per agent. */
export type AgentHost = {
  /** For one turn, whose end `rest` reports. */
  start(session: SessionKey, row: AgentRow): Promise<Launched>;
  /** Whether `start` would find a process of this agent's target that takes turns. */
  isRunning(row: AgentRow): boolean;
  /** A turn of this agent is over; if no other one runs, its idle time begins. */
  rest(agentId: string, agent: HostedAgent): void;
  interrupt(agentId: string): Promise<void>;
  /** Whether a delivery may enter the turn that its agent is in. */
  isSteerable(agentId: string): boolean;
  /** Ends an agent's process, if one runs. The next one continues from a checkpoint or the log, and not from what the folder holds. */
  leaveConversation(agentId: string, reason: StopReason): Promise<void>;
  /** False: it was not running. */
  stop(agentId: string, reason: StopReason): Promise<boolean>;
  /** Whether an agent has a process, or its end is not recorded yet. */
  hasProcess(agentId: string): boolean;
  /** Whether a child of the session lives, or its end is not recorded yet. */
  isBusy(sessionId: string): boolean;
  /** Kills the agents of a session that another gateway has by now; nothing is recorded of that here. */
  abandon(sessionId: string): Promise<void>;
  stopSession(sessionId: string, reason: StopReason): Promise<void>;
  stopAll(reason: StopReason): Promise<void>;
  /** Removes what an agent kept (BX-20). */
  clean(session: SessionKey, agentId: string): Promise<void>;
};

function describeStop(row: AgentRow, reason: StopReason, exit: AgentExit): EventData<'agent.stopped'> {
  return {
    agentId: idFromUuid('agent', row.id),
    reason,
    ...(exit.exitCode === null ? {} : { exitCode: exit.exitCode }),
    ...(exit.signal === null ? {} : { signal: exit.signal }),
    ...(reason === 'crashed' && exit.diagnostic !== '' ? { diagnostic: exit.diagnostic } : {}),
  };
}

type RecordDeps = Pick<OwningDeps, 'ownership' | 'log'>;

/** Records that an agent runs, and answers by what it continues. */
async function recordStart(
  deps: RecordDeps,
  session: SessionKey,
  row: AgentRow,
  { continuedBy: tried, restored }: AgentMemory,
): Promise<ContinuedBy> {
  const actor = { type: 'service', id: 'runner-gateway' } as const;
  let continuedBy = tried;
  await deps.ownership.asOwner(session, async (tx, epoch) => {
    if (tried === 'checkpoint') await forgetEarlierAttempts(tx, row.id);
    if (tried !== 'resume' && tried !== 'checkpoint') {
      await emptyContext(tx, row.id);
      continuedBy = (await hasHistory(tx, row.id)) ? 'rebuild' : 'fresh';
    }
    const agentId = idFromUuid('agent', row.id);
    const started: NewEvent = { kind: 'agent.started', actor, data: { agentId, epoch, continuedBy } };
    const events: NewEvent[] = restored
      ? [{ kind: 'agent.restored', actor, data: { agentId, ...restored } }, started]
      : [started];
    return appendEvents(tx, session.sessionId, events);
  });
  return continuedBy;
}

/** Waits for a subprocess to end, whatever the cause, and records that it did. */
async function watch(deps: RecordDeps, row: AgentRow, entry: Entry): Promise<void> {
  const exit = await entry.hosted.running.exited;
  entry.idle.cancel();
  await entry.hosted.ways.close();
  const stop = describeStop(row, entry.stopReason ?? 'crashed', exit);
  logAgentStopped(deps.log, { agentId: stop.agentId, reason: stop.reason, exitCode: stop.exitCode });
  const { checkpoints, folder } = entry.hosted;
  checkpoints?.cancel();
  const isResumable = (await readResumeReference(folder, row)).status === 'found';
  await appendAgentStopped(deps, entry.session, stop, { keepsContext: isResumable });
}

async function stopEntry(entry: Entry | undefined, reason: StopReason, graceMs = STOP_GRACE_MS): Promise<boolean> {
  if (!entry) return false;
  entry.stopReason ??= reason;
  entry.idle.cancel();
  if (entry.stopReason === 'idle' || entry.stopReason === 'shutdown') await entry.hosted.checkpoints?.finish();
  else entry.hosted.checkpoints?.cancel();
  await entry.hosted.running.stop({ graceMs });
  await entry.recorded;
  return true;
}

// A process whose conversation no later one can continue is kept alive, unless the profile sets an idle time.
function idleTimeOf({ running }: HostedAgent, { limits }: Profile): number | undefined {
  return limits.idleStopMs ?? (running.resumeReference === undefined ? undefined : IDLE_STOP_MS);
}

const isOnItsWayOut = ({ stopReason, hosted }: Entry): boolean => stopReason !== undefined || !hosted.running.isOpen;

const takesTurnsOf = (entry: Entry, row: AgentRow): boolean => entry.target === targetOf(row) && !isOnItsWayOut(entry);

/** The process may still remember a deleted file that it could read. */
const reasonOfChange = (entry: Entry | undefined, { memoryVersion }: AgentRow): StopReason =>
  entry?.memoryVersion === memoryVersion ? 'target-changed' : 'attachment-deleted';

type HostDeps = OwningDeps & {
  /** Called with a session one of whose agents has ended. */
  onEnded: (session: SessionKey) => void;
};

const folderOf = ({ settings }: Pick<OwningDeps, 'settings'>, agentId: string) =>
  join(settings.agentsFolder, idFromUuid('agent', agentId));

/** Starts an agent for its first turn and records that it runs; what cannot be recorded does not run on. */
async function launchEntry(
  deps: HostDeps,
  entries: Map<string, Entry>,
  { session, row, ...how }: { session: SessionKey; row: AgentRow; profile: Profile; trials: Trials | undefined },
): Promise<Launched> {
  const { profile } = how;
  const launched = await launchAgent(deps, session, row, { ...how, folder: folderOf(deps, row.id) });
  if (launched.status === 'failed') return launched;
  const hosted = launched.agent;
  const entry: Entry = {
    session,
    hosted,
    target: targetOf(row),
    memoryVersion: row.memoryVersion,
    idle: createIdleTimer(
      () => idleTimeOf(hosted, profile),
      () => void stopEntry(entry, 'idle'),
    ),
    stopReason: undefined,
    recorded: Promise.resolve(),
  };
  entries.set(row.id, entry);
  entry.idle.begin();
  entry.recorded = watch(deps, row, entry)
    .catch((error) => deps.log.warn({ err: error }, 'agent.stop_not_recorded'))
    .then(() => {
      if (entries.get(row.id) === entry) entries.delete(row.id);
      deps.onEnded(session);
    });
  try {
    hosted.memory.continuedBy = await recordStart(deps, session, row, hosted.memory);
  } catch (error) {
    await stopEntry(entry, 'owner-lost');
    throw error;
  }
  return launched;
}

export function createAgentHost(deps: HostDeps): AgentHost {
  const entries = new Map<string, Entry>();
  // A file that was refused once is known by its second refusal, which comes to another process where its message is brought again.
  const carried = new Map<string, Trials>();
  const ofSession = (sessionId: string) =>
    [...entries.values()].filter(({ session }) => session.sessionId === sessionId);
  return {
    async start(session, row) {
      const entry = entries.get(row.id);
      if (entry !== undefined && takesTurnsOf(entry, row)) {
        entry.idle.begin();
        return { status: 'started', agent: entry.hosted };
      }
      const isLeaving = entry !== undefined && isOnItsWayOut(entry);
      // One that crashed or has rested too long may be on its way out: what comes now gets a process of its own.
      await (isLeaving ? entry.recorded : stopEntry(entry, reasonOfChange(entry, row)));
      const profile = deps.profiles[row.profile];
      const trials = carried.get(row.id);
      carried.delete(row.id);
      if (profile) return launchEntry(deps, entries, { session, row, profile, trials });
      return startFailure(row, 'delivery_target_unknown', `The profile ${row.profile} is no longer offered here.`);
    },
    isRunning(row) {
      const entry = entries.get(row.id);
      return entry !== undefined && takesTurnsOf(entry, row);
    },
    rest(agentId, agent) {
      const entry = entries.get(agentId);
      if (entry?.hosted === agent) entry.idle.end();
    },
    async interrupt(agentId) {
      await entries.get(agentId)?.hosted.running.interrupt();
    },
    isSteerable: (agentId) => entries.get(agentId)?.hosted.running.isSteerable ?? false,
    async leaveConversation(agentId, reason) {
      const entry = entries.get(agentId);
      const trials = entry?.hosted.quarantine?.listTrials();
      await stopEntry(entry, reason);
      if (trials !== undefined) carried.set(agentId, trials);
      await dropReference(folderOf(deps, agentId));
    },
    stop: (agentId, reason) => stopEntry(entries.get(agentId), reason),
    hasProcess: (agentId) => entries.has(agentId),
    isBusy: (sessionId) => ofSession(sessionId).length > 0,
    async abandon(sessionId) {
      await Promise.all(ofSession(sessionId).map((entry) => stopEntry(entry, 'owner-lost', 0)));
    },
    async stopSession(sessionId, reason) {
      await Promise.all(ofSession(sessionId).map((entry) => stopEntry(entry, reason)));
    },
    async stopAll(reason) {
      await Promise.all([...entries.values()].map((entry) => stopEntry(entry, reason)));
    },
    async clean({ tenantId }, agentId) {
      for (const folder of [folderOf(deps, agentId), restoredFolderOf(deps.settings.agentsFolder, agentId)])
        await deps.leftFolders.leave(folder);
      await forgetMemory(deps, tenantId, agentId);
    },
  };
}
