import { DEFAULT_LINE_BYTES } from '@attache/contracts';
import { agentFailure } from '../agent-failure.ts';
import type { InheritedEnvironment } from '../child-environment.ts';
import type { AgentDriver, AgentSpec, DriverHooks, StartOutcome } from '../driver.ts';
import { type SpawnedAgent, spawnAgent } from '../spawn-agent.ts';
import { cleanDiagnostic } from '../stderr-tail.ts';
import { type AcpConnection, createAcpConnection } from './acp-connection.ts';
import { createAgentSession } from './agent-session.ts';
import { type OpenedSession, type OpenFailure, openSession } from './open-session.ts';
import { createRunningAgent } from './running-agent.ts';

// An answer may hold a file as large as one that may be sent, and its envelope.
const DEFAULT_INCOMING_LINE_BYTES = DEFAULT_LINE_BYTES + 1024 * 1024;

export type AcpDriverOptions = {
  inherited: InheritedEnvironment;
  /** Takes secrets and media out of a text before it is shown. */
  redact: (text: string) => string;
  /** Said to the agent as `clientInfo`. */
  client: { name: string; version: string };
  /** How long an agent may accept no byte before it counts as stalled. */
  stallMs?: number;
  /** How long an agent may take to end a turn that was interrupted or has run out of time. */
  cancelGraceMs?: number;
};

/** Drives any agent that speaks the Agent Client Protocol over standard input and output. */
export function createAcpDriver(options: AcpDriverOptions): AgentDriver {
  return { runtime: 'acp', start: (spec, hooks) => startAgent(options, spec, hooks) };
}

async function startAgent(options: AcpDriverOptions, spec: AgentSpec, hooks: DriverHooks): Promise<StartOutcome> {
  const spawned = await spawnAgent(spec, options);
  if (spawned.status === 'failed') return spawned;
  const { child } = spawned;
  const incomingLineBytes = spec.incomingLineBytes ?? DEFAULT_INCOMING_LINE_BYTES;
  const session = createAgentSession(hooks, incomingLineBytes);
  const { stallMs = 30_000, cancelGraceMs = 5_000, redact, client } = options;
  const connection = createAcpConnection({
    stdin: child.stdin,
    stdout: child.stdout,
    incomingLineBytes,
    stallMs,
    handlers: session.handlers,
  });
  void child.exited.then(() => connection.closeWhenDrained());
  const opened = await openOrKill({ connection, client, folder: spec.folder, startMs: spec.startMs }, child);
  if (opened.status === 'failed') return { status: 'failed', failure: await startFailure(spec, child, opened, redact) };
  session.setId(opened.sessionId);
  return {
    status: 'started',
    agent: createRunningAgent({ spec, child, connection, session, redact, cancelGraceMs, opened }),
  };
}

type OpenRequest = Parameters<typeof openSession>[0] & { connection: AcpConnection };

/** Whatever goes wrong in the handshake, no child is left behind. */
async function openOrKill(request: OpenRequest, child: SpawnedAgent): Promise<OpenedSession | OpenFailure> {
  let opened: OpenedSession | OpenFailure | undefined;
  try {
    opened = await openSession(request);
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
    code,
    agentId: spec.agentId,
    diagnostic: cleanDiagnostic(`${diagnostic}\n${exit.diagnostic}`, redact),
    safeDetails: { exitCode: exit.exitCode ?? -1, signal: exit.signal ?? 'none' },
  });
}
