import { randomBytes } from 'node:crypto';
import { insidePlaces, type RunningAgent, type StartOutcome } from '@attache/agent-process';
import { idFromUuid, type Profile } from '@attache/contracts';
import { type AgentRow, describeAgent } from '@attache/database';
import { allowsOwnTools, permissionModeOf } from '@attache/domain';
import { chooseSandbox, describeUnreachable } from '@attache/programs/choose-sandbox';
import { describeUndeniable, isUndeniable } from '@attache/programs/find-denial';
import { findProgram, listsToolsAtStart } from '@attache/programs/find-program';
import { logAgentStarted } from '@attache/telemetry';
import { endOutdated } from '../findings/end-outdated.ts';
import { explainStart } from '../findings/explain-start.ts';
import { describeRunning, type RunningProgram } from '../findings/running-program.ts';
import { createToolGate } from '../gate/tool-gate.ts';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SocketOwner } from '../granted/socket-owner.ts';
import type { AgentCheckpoints } from '../memory/agent-checkpoints.ts';
import { forgetMemory } from '../memory/forget-memory.ts';
import { openCheckpoints } from '../memory/open-checkpoints.ts';
import { recallMemory } from '../memory/recall-memory.ts';
import { createReferenceKeeper, type ReferenceKeeper } from '../memory/resume-reference.ts';
import type { RunningTurn } from '../output/output-sink.ts';
import { createTurnSlot } from '../output/turn-slot.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { AgentQuarantine, Trials } from '../quarantine/agent-quarantine.ts';
import { createRoomMaker } from '../quarantine/make-room.ts';
import { openQuarantine } from '../quarantine/open-quarantine.ts';
import { createForwardGate, type ForwardGate } from '../relay/forward-gate.ts';
import { findSandbox } from '../sandbox/find-sandbox.ts';
import { type AgentMemory, beginMemory } from './agent-memory.ts';
import { describeSpec, findTurnMs } from './describe-spec.ts';
import { type AgentWays, openWays } from './open-ways.ts';
import { createDriverHooks } from './record-output.ts';
import { shownTo } from './shown-target.ts';
import { keyMissing, type NotStarted, startFailure } from './start-failure.ts';
import { createToolsListed, type ToolsListed, waitForTools } from './wait-for-tools.ts';

/** A running subprocess of one agent, with its ways to the gateway and its folder. */
export type HostedAgent = {
  running: RunningAgent;
  ways: AgentWays;
  folder: string;
  transport: string;
  program: RunningProgram;
  /** How its program asks its model. */
  modelCallsBy: 'relay' | 'program' | 'nobody';
  /** Keeps by what a later process finds this conversation again. What cannot be kept is logged, and holds up nothing. */
  keepReference(): Promise<void>;
  /** Lets the next process begin a conversation of its own. */
  dropReference(): Promise<void>;
  /** Undefined if its program asks its model without the relay. */
  quarantine: AgentQuarantine | undefined;
  forwards: ForwardGate | undefined;
  isInTurn(): boolean;
  /** Whether its program calls a model and has not asked what tools we have for that. */
  lacksTools(): boolean;
  memory: AgentMemory;
  /** Undefined if its program has no memory that could be kept, or its profile wants none. */
  checkpoints: AgentCheckpoints | undefined;
  /** Names the turn that is running, for what the agent says meanwhile. */
  setTurn(turn: RunningTurn): void;
  endTurn(turn: RunningTurn): void;
};

export type Launched = { status: 'started'; agent: HostedAgent } | NotStarted;

/** Starts an agent's subprocess with a folder, a socket and a token of its own. Where that fails nothing of it is left. */
export async function launchAgent(
  deps: OwningDeps,
  session: SessionKey,
  row: AgentRow,
  { profile, folder, trials }: { profile: Profile; folder: string; trials?: Trials | undefined },
): Promise<Launched> {
  const driver = deps.drivers[row.runtime];
  if (!driver) return startFailure(row, 'delivery_agent_start_failed', `There is no driver for ${row.runtime} here.`);
  if (isUndeniable(profile, deps.settings.permissionMode))
    return startFailure(row, 'delivery_agent_start_failed', describeUndeniable(row.profile));
  if (chooseSandbox(profile, deps.settings.sandbox).status === 'unreachable')
    return startFailure(row, 'delivery_agent_start_failed', describeUnreachable(row.profile));
  const startedAt = performance.now();
  const { epoch } = deps.ownership.fenceOf(session);
  const recalled = await recallMemory(deps, session, row, { profile, folder });
  const isResumed = recalled.resumeReference !== undefined;
  const turns = createTurnSlot({ isResumed, turnMs: findTurnMs(profile) });
  const { setTurn, endTurn, noteHandedOut } = turns;
  const token = `ata_${randomBytes(32).toString('base64url')}`;
  const sink = { session, agentId: row.id, currentTurn: turns.current };
  const toolsListed = createToolsListed();
  const tools = createToolGate(deps, sink, permissionModeOf(profile, deps.settings.permissionMode) === 'gated');
  const quarantine = await openQuarantine(deps, profile, row, { isResumed, trials });
  const forwards = openForwards(deps, session, row, profile);
  const relay = {
    ...{ session, agentId: idFromUuid('agent', row.id), epoch, provider: row.provider, model: row.model },
    ...{ turns, quarantine, forwards },
    makeRoom: quarantine && createRoomMaker(deps, { session, agent: row, asides: quarantine.asides, turns }),
  };
  const socket: SocketOwner = {
    ...{ session, agentId: row.id, token, folder },
    ...(hasOwnPaths(deps, profile) && { shownFolder: insidePlaces.folder }),
    checkCall: tools.check,
    noteHandedOut(attachment, bytes) {
      noteHandedOut(attachment, bytes);
      quarantine?.learn(bytes.sha256, attachment.id);
    },
    noteToolsListed: toolsListed.note,
    shown: shownTo(row, profile),
    hasOwnTools: allowsOwnTools(profile, deps.settings.permissionMode),
  };
  const ways = await openWays(deps, profile, { socket, relay }).catch((error: unknown) => keyMissing(row, error));
  if ('status' in ways) return ways;
  const outcome = await startBehind(ways, async () => {
    const spec = await describeSpec(deps, row, profile, { folder, token, ways, ...recalled }).catch((error: unknown) =>
      keyMissing(row, error),
    );
    return 'status' in spec ? spec : driver.start(spec, createDriverHooks(deps, sink, tools));
  });
  if (outcome.status === 'failed') return explainNotStarted(deps, profile, outcome);
  if (listsToolsAtStart(profile.command)) await waitForTools(toolsListed, outcome.agent);
  const durationMs = performance.now() - startedAt;
  logAgentStarted(deps.log, { agentId: idFromUuid('agent', row.id), runtime: row.runtime, epoch, durationMs });
  const running = outcome.agent;
  const memory = beginMemory(recalled, running.isResumed);
  const agent = { running, ways, folder, setTurn, endTurn, isInTurn: turns.isInTurn, quarantine, forwards, memory };
  const checkpoints = openCheckpoints(deps, { session, row, profile, folder, running, recalled, token, ways });
  const started = await describeStarted(deps, row, profile, { ...agent, toolsListed });
  return { status: 'started', agent: { ...agent, checkpoints, ...started } };
}

async function explainNotStarted(
  { settings }: Pick<OwningDeps, 'settings'>,
  profile: Profile,
  { failure }: NotStarted,
): Promise<NotStarted> {
  return { status: 'failed', failure: await explainStart(failure, profile, settings.readVariable('PATH') ?? '') };
}

/** An operator's wrapper shows an agent its folder where it is. */
function hasOwnPaths({ settings }: Pick<OwningDeps, 'settings'>, profile: Profile): boolean {
  const sandbox = findSandbox(settings, profile);
  return sandbox !== undefined && sandbox.command === undefined;
}

/** Undefined if its program asks its model without the relay. */
const openForwards = (deps: OwningDeps, session: SessionKey, { id }: AgentRow, profile: Profile) =>
  findModelCalls(profile) === 'relay' ? createForwardGate(deps, session, id) : undefined;

/** Describes a running program, and how its conversation is kept for a later process. */
async function describeStarted(
  deps: OwningDeps,
  row: AgentRow,
  profile: Profile,
  { running, folder, toolsListed }: Pick<HostedAgent, 'running' | 'folder'> & { toolsListed: ToolsListed },
): Promise<
  Pick<HostedAgent, 'transport' | 'program' | 'modelCallsBy' | 'lacksTools' | 'keepReference' | 'dropReference'>
> {
  const references = createReferenceKeeper(folder, row);
  const modelCallsBy = findModelCalls(profile);
  const searchPath = deps.settings.readVariable('PATH') ?? '';
  const program = await describeRunning(describeAgent(row).target, profile, running, searchPath);
  if (modelCallsBy === 'relay') await endOutdated(deps, row.tenantId, program);
  return {
    ...{ transport: `${row.runtime}/stdio`, program, modelCallsBy },
    lacksTools: () => modelCallsBy !== 'nobody' && !toolsListed.isListed(),
    async dropReference() {
      await references.drop();
      await forgetMemory(deps, row.tenantId, row.id);
    },
    keepReference: () => keepReferenceOf(deps, row, running, references),
  };
}

/** A program that comes with the product asks none. */
function findModelCalls({ endpoint, runtime, command }: Profile): HostedAgent['modelCallsBy'] {
  if (endpoint !== undefined) return 'relay';
  return findProgram(runtime, command)?.isBundled ? 'nobody' : 'program';
}

/** Closes them if no agent came to use them. */
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
