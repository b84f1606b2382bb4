import { randomBytes } from 'node:crypto';
import { type AgentSpec, childMarker, type RunningAgent, type StartOutcome } from '@attache/agent-process';
import { type Failure, type FailureCode, idFromUuid, isFault, type Profile } from '@attache/contracts';
import { type AgentRow, describeAgent } from '@attache/database';
import { allowsOwnTools, permissionModeOf, resolveCapability } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { describeUndeniable, isUndeniable } from '@attache/programs/find-denial';
import { findProgram, listsToolsAtStart } from '@attache/programs/find-program';
import { logAgentStarted } from '@attache/telemetry';
import { createToolGate } from '../gate/tool-gate.ts';
import type { OwningDeps } from '../gateway-deps.ts';
import type { ShownTarget, SocketOwner } from '../granted/socket-owner.ts';
import type { RunningTurn } from '../output/output-sink.ts';
import { createTurnSlot } from '../output/turn-slot.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { describeProfile } from './describe-profile.ts';
import { type AgentWays, openWays } from './open-ways.ts';
import { createDriverHooks } from './record-output.ts';
import { createReferenceKeeper, type ReferenceKeeper, readResumeReference } from './resume-reference.ts';
import { createToolsListed, waitForTools } from './wait-for-tools.ts';

const TURN_MS = 30 * 60_000;
const START_MS = 30_000;
const MCP_PROGRAM = 'attache-mcp';

/** A running subprocess of one agent, with its ways to the gateway and its folder. */
export type HostedAgent = {
  running: RunningAgent;
  ways: AgentWays;
  folder: string;
  transport: string;
  /** How its program asks its model. */
  modelCallsBy: 'relay' | 'program' | 'nobody';
  /** Keeps by what a later process finds this conversation again. What cannot be kept is logged, and holds up nothing. */
  keepReference(): Promise<void>;
  /** Names the turn that is running, for what the agent says meanwhile. */
  setTurn(turn: RunningTurn): void;
  endTurn(turn: RunningTurn): void;
};

export type Launched = { status: 'started'; agent: HostedAgent } | { status: 'failed'; failure: Failure };

export function startFailure(
  row: AgentRow,
  code: FailureCode,
  userMessage: string,
  diagnostic = `profile ${row.profile}, runtime ${row.runtime}`,
): Extract<Launched, { status: 'failed' }> {
  const failure: Failure = {
    code,
    severity: 'error',
    agentId: idFromUuid('agent', row.id),
    provider: row.provider,
    model: row.model,
    userMessage,
    diagnostic,
    retryable: true,
  };
  return { status: 'failed', failure };
}

async function describeSpec(
  deps: Pick<OwningDeps, 'ownership' | 'settings'>,
  row: AgentRow,
  profile: Profile,
  {
    folder,
    token,
    ways,
    resumeReference,
  }: Pick<AgentSpec, 'folder' | 'token' | 'resumeReference'> & { ways: AgentWays },
): Promise<AgentSpec> {
  const { replicaId, incarnation } = deps.ownership.identity;
  return {
    agentId: idFromUuid('agent', row.id),
    ...(await describeProfile(deps.settings, profile)),
    ...{ folder, token, socketPath: ways.socketPath, endpoint: ways.endpoint },
    provider: row.provider,
    model: row.model,
    mcpCommand: deps.settings.bundledPrograms[MCP_PROGRAM],
    resumeReference,
    turnMs: profile.limits.turnMs ?? TURN_MS,
    startMs: profile.limits.startMs ?? START_MS,
    marker: childMarker({ replica: replicaId, incarnation }),
  };
}

/** Without its key a program would only fail later, in words of its own (DL-57). */
function keyMissing(row: AgentRow, error: unknown): Extract<Launched, { status: 'failed' }> {
  const isNotSaved = isFault(error, 'SECRET_NOT_FOUND');
  if (!isNotSaved && !isFault(error, 'CONFIGURATION_INVALID')) throw error;
  const userMessage = isNotSaved
    ? error.message
    : `A key of the profile ${row.profile} is missing or cannot be read. Set it where the profile says, then retry.`;
  return startFailure(row, 'delivery_agent_auth_required', userMessage, `profile ${row.profile}: ${error.message}`);
}

/** What an agent's tools may show it, by what its target takes. One whose model is known to take no images gets none. */
function shownTo(row: AgentRow, profile: Profile): ShownTarget {
  const { target } = describeAgent(row);
  const imagesUnder: ShownTarget['imagesUnder'] = (override) => {
    const { image } = resolveCapability(
      {
        ...{ target, command: profile.command, declared: undefined, lineBytes: undefined, override },
        profileCapability: profile.capability,
      },
      catalog,
    );
    return image.model === 'no' ? undefined : image;
  };
  return { profile: row.profile, model: row.model, imagesUnder };
}

/** Starts an agent's subprocess with a folder, a socket and a token of its own. Where that fails nothing of it is left. */
export async function launchAgent(
  deps: OwningDeps,
  session: SessionKey,
  row: AgentRow,
  { profile, folder }: { profile: Profile; folder: string },
): Promise<Launched> {
  const driver = deps.drivers[row.runtime];
  if (!driver) return startFailure(row, 'delivery_agent_start_failed', `There is no driver for ${row.runtime} here.`);
  if (isUndeniable(profile, deps.settings.permissionMode))
    return startFailure(row, 'delivery_agent_start_failed', describeUndeniable(row.profile));
  const startedAt = performance.now();
  const { epoch } = deps.ownership.fenceOf(session);
  const resumeReference = await readResumeReference(folder, row);
  const turns = createTurnSlot({ isResumed: resumeReference !== undefined });
  const { current, setTurn, endTurn, noteHandedOut } = turns;
  const token = `ata_${randomBytes(32).toString('base64url')}`;
  const sink = { session, agentId: row.id, currentTurn: current };
  const mode = permissionModeOf(profile, deps.settings.permissionMode);
  const toolsListed = createToolsListed();
  const tools = createToolGate(deps, sink, mode === 'gated');
  const relay = {
    ...{ tenantId: session.tenantId, agentId: idFromUuid('agent', row.id), epoch, model: row.model },
    turns,
  };
  const socket: SocketOwner = {
    ...{ session, agentId: row.id, token, folder },
    checkCall: tools.check,
    noteHandedOut,
    noteToolsListed: toolsListed.note,
    shown: shownTo(row, profile),
    hasOwnTools: allowsOwnTools(profile, deps.settings.permissionMode),
  };
  const ways = await openWays(deps, profile, { socket, relay }).catch((error: unknown) => keyMissing(row, error));
  if ('status' in ways) return ways;
  const outcome = await startBehind(ways, async () => {
    const spec = await describeSpec(deps, row, profile, { folder, token, ways, resumeReference }).catch(
      (error: unknown) => keyMissing(row, error),
    );
    return 'status' in spec ? spec : driver.start(spec, createDriverHooks(deps, sink, tools));
  });
  if (outcome.status === 'failed') return outcome;
  if (listsToolsAtStart(profile.command)) await waitForTools(toolsListed, outcome.agent);
  const durationMs = performance.now() - startedAt;
  logAgentStarted(deps.log, { agentId: idFromUuid('agent', row.id), runtime: row.runtime, epoch, durationMs });
  const running = outcome.agent;
  const references = createReferenceKeeper(folder, row);
  const keepReference = () => keepReferenceOf(deps, row, running, references);
  const transport = `${row.runtime}/stdio`;
  const modelCallsBy = findModelCalls(profile);
  return {
    status: 'started',
    agent: { running, ways, folder, transport, modelCallsBy, keepReference, setTurn, endTurn },
  };
}

/** A program that comes with the product asks none. */
function findModelCalls({ endpoint, runtime, command }: Profile): HostedAgent['modelCallsBy'] {
  if (endpoint !== undefined) return 'relay';
  return findProgram(runtime, command)?.isBundled ? 'nobody' : 'program';
}

/** Closes them where no agent came to use them. */
async function startBehind(ways: AgentWays, start: () => Promise<StartOutcome>): Promise<StartOutcome> {
  let outcome: StartOutcome | undefined;
  try {
    outcome = await start();
    return outcome;
  } finally {
    if (outcome?.status !== 'started') await ways.close();
  }
}

async function keepReferenceOf(
  deps: Pick<OwningDeps, 'log'>,
  { id }: AgentRow,
  { resumeReference }: RunningAgent,
  references: ReferenceKeeper,
): Promise<void> {
  if (resumeReference === undefined) return;
  try {
    await references.keep(resumeReference);
  } catch (error) {
    deps.log.warn({ err: error, agentId: idFromUuid('agent', id) }, 'agent.reference_not_kept');
  }
}
