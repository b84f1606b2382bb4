import { DEFAULT_LINE_BYTES, type Runtime } from '@attache/contracts';
import { agentFailure } from './agent-failure.ts';
import type { InheritedEnvironment } from './child-environment.ts';
import type { AgentDriver, AgentSpec, DriverHooks, DriverTraits, StartOutcome } from './driver.ts';
import { watchLimits } from './limits/watch-limits.ts';
import type { OpenedSession, OpenFailure, Protocol, ProtocolContext } from './protocol.ts';
import { specInside } from './sandbox/spec-inside.ts';
import { prepareSettings } from './settings/prepare-settings.ts';
import type { ProgramSettings } from './settings/program-settings.ts';
import { type SpawnedAgent, spawnAgent } from './spawn-agent.ts';
import { cleanDiagnostic } from './stderr-tail.ts';
import { createRunningAgent } from './turns/running-agent.ts';
import { createTurnKeeper } from './turns/turn-state.ts';
import type { AgentUsers } from './users/agent-users.ts';

// An answer may hold a file as large as one that may be sent, and its envelope.
const DEFAULT_INCOMING_LINE_BYTES = DEFAULT_LINE_BYTES + 1024 * 1024;

export type DriverOptions = {
  inherited: InheritedEnvironment;
  /** Takes secrets and media out of a text before it is shown. */
  redact: (text: string) => string;
  /** Sandboxed agents get a user each; without it they run as the gateway's own. */
  users?: AgentUsers | undefined;
  /** Said to the agent as its client. */
  client: { name: string; version: string };
  /** How long an agent may accept no byte before it counts as stalled. */
  stallMs?: number;
  /** How long an agent may take to end a turn that was interrupted or has run out of time. */
  cancelGraceMs?: number;
  /** How long an agent that closed its output may take to end by itself. */
  closedOutputMs?: number;
};

/** How one program is driven. */
export type ProgramDriver = {
  traits: DriverTraits;
  /** The program's own settings for this agent. */
  settingsOf(spec: AgentSpec, inherited: InheritedEnvironment): ProgramSettings | Promise<ProgramSettings>;
  speak(context: ProtocolContext): Protocol;
};

/** A runtime, and which program a command of it runs. All its programs have the same traits. */
export type RuntimeDefinition = { runtime: Runtime; programOf(command: readonly string[]): ProgramDriver };

/** A driver of one runtime: spawns a program with its settings, opens the protocol and keeps the agent to its limits. */
export function createDriver(definition: RuntimeDefinition, options: DriverOptions): AgentDriver {
  const { runtime, programOf } = definition;
  return {
    runtime,
    traits: programOf([]).traits,
    async start(spec, hooks) {
      const program = programOf(spec.command);
      const outcome = await startAgent(program, options, spec, hooks);
      if (outcome.status === 'started' || spec.resumeReference === undefined) return outcome;
      // A conversation that cannot be found again must not keep its agent from starting.
      return await startAgent(program, options, { ...spec, resumeReference: undefined, restored: undefined }, hooks);
    },
  };
}

async function startAgent(
  { settingsOf, speak }: ProgramDriver,
  options: DriverOptions,
  spec: AgentSpec,
  hooks: DriverHooks,
): Promise<StartOutcome> {
  const inside = specInside(spec);
  const prepared = await prepareSettings(spec, () => settingsOf(inside, options.inherited), options.redact);
  if (prepared.status === 'failed') return prepared;
  const spawned = await spawnAgent(spec, prepared.settings, options);
  if (spawned.status === 'failed') return spawned;
  const { child } = spawned;
  const { stallMs = 30_000, cancelGraceMs = 5_000, closedOutputMs = 2_000, redact, client } = options;
  const limits = watchLimits(child, spec);
  const turns = createTurnKeeper();
  const protocol = speak({
    ...{ spec: inside, hooks, turns, client, stallMs },
    stdin: child.stdin,
    stdout: child.stdout,
    incomingLineBytes: spec.incomingLineBytes ?? DEFAULT_INCOMING_LINE_BYTES,
  });
  void child.exited.then(() => protocol.closeWhenDrained());
  const opened = await openOrKill(protocol, child);
  if (opened.status === 'failed') return { status: 'failed', failure: await startFailure(spec, child, opened, redact) };
  return {
    status: 'started',
    agent: createRunningAgent({ spec, child, protocol, turns, redact, cancelGraceMs, closedOutputMs, opened, limits }),
  };
}

/** Opens the session. If anything goes wrong in the handshake, no child is left behind. */
async function openOrKill(protocol: Protocol, child: SpawnedAgent): Promise<OpenedSession | OpenFailure> {
  let opened: OpenedSession | OpenFailure | undefined;
  try {
    opened = await protocol.open();
    return opened;
  } finally {
    if (opened?.status !== 'opened') child.signalGroup('SIGKILL');
  }
}

async function startFailure(
  spec: AgentSpec,
  child: SpawnedAgent,
  { code, diagnostic }: OpenFailure,
  redact: (text: string) => string,
) {
  const exit = await child.exited;
  return agentFailure({
    code: exit.sandboxFault === undefined ? code : 'delivery_sandbox_unavailable',
    agentId: spec.agentId,
    diagnostic: cleanDiagnostic(`${exit.sandboxFault ?? diagnostic}\n${exit.diagnostic}`, redact),
    safeDetails: { exitCode: exit.exitCode ?? -1, signal: exit.signal ?? 'none' },
  });
}
