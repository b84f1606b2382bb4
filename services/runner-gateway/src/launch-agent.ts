import { randomBytes } from 'node:crypto';
import { cp, mkdir, stat } from 'node:fs/promises';
import { type AgentSpec, childMarker, type RunningAgent } from '@attache/agent-process';
import { type Failure, type FailureCode, idFromUuid, type Profile } from '@attache/contracts';
import type { AgentRow } from '@attache/database';
import { logAgentStarted } from '@attache/telemetry';
import { type AgentSocket, openAgentSocket } from './agent-socket/open-agent-socket.ts';
import { describeCommand } from './describe-command.ts';
import type { OwningDeps } from './gateway-deps.ts';
import { createDriverHooks, type RunningTurn } from './record-output.ts';
import { resolveSecrets } from './resolve-secrets.ts';
import type { SessionKey } from './session-ownership.ts';

const TURN_MS = 30 * 60_000;
const START_MS = 30_000;

/** A running subprocess of one agent, with its socket and folder. */
export type HostedAgent = {
  running: RunningAgent;
  socket: AgentSocket;
  folder: string;
  transport: string;
  /** Names the turn that is running, for what the agent says meanwhile. */
  setTurn(turn: RunningTurn | undefined): void;
};

export type Launched = { status: 'started'; agent: HostedAgent } | { status: 'failed'; failure: Failure };

export function startFailure(row: AgentRow, code: FailureCode, userMessage: string): Launched {
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
  deps: OwningDeps,
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

/** Starts an agent's subprocess with a folder, a socket and a token of its own. */
export async function launchAgent(
  deps: OwningDeps,
  session: SessionKey,
  row: AgentRow,
  place: { profile: Profile; folder: string },
): Promise<Launched> {
  const { profile, folder } = place;
  const driver = deps.drivers[row.runtime];
  if (!driver) return startFailure(row, 'delivery_agent_start_failed', `There is no driver for ${row.runtime} here.`);
  const startedAt = performance.now();
  await prepareFolder(folder, profile.home);
  let turn: RunningTurn | undefined;
  const token = `ata_${randomBytes(32).toString('base64url')}`;
  const socket = await openAgentSocket(deps, { session, agentId: row.id, token, folder });
  const hooks = createDriverHooks(deps, { session, agentId: row.id, currentTurn: () => turn });
  const spec = await describeSpec(deps, row, profile, { folder, socketPath: socket.path, token });
  const outcome = await driver.start(spec, hooks);
  if (outcome.status === 'failed') {
    await socket.close();
    return outcome;
  }
  const { epoch } = deps.ownership.fenceOf(session);
  const durationMs = performance.now() - startedAt;
  logAgentStarted(deps.log, { agentId: spec.agentId, runtime: row.runtime, epoch, durationMs });
  const setTurn = (next: RunningTurn | undefined) => {
    turn = next;
  };
  return {
    status: 'started',
    agent: { running: outcome.agent, socket, folder, transport: `${row.runtime}/stdio`, setTurn },
  };
}
