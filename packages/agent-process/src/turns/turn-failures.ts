import { type AgentFailureCode, agentFailure } from '../agent-failure.ts';
import type { AgentSpec, TurnOutcome } from '../driver.ts';
import type { WriteOutcome } from '../frames/write-frame.ts';
import type { LimitWatch } from '../limits/watch-limits.ts';
import type { ConnectionEnd } from '../messages/connection-end.ts';
import type { Protocol, SafeDetails } from '../protocol.ts';
import type { SpawnedAgent } from '../spawn-agent.ts';
import { cleanDiagnostic } from '../stderr-tail.ts';
import { within } from '../within.ts';
import type { TurnKeeper } from './turn-state.ts';

// A child that takes nothing more has ended, as a rule, and its output ends with it.
const CLOSED_INPUT_MS = 2000;

/** Whether the agent may already have seen the message (DL-82). */
type Phase = 'before-write' | 'while-writing' | 'after-write';
type NotWritten = Exclude<WriteOutcome, { status: 'written' }>;
/** `isClosed`: it takes no further turn. `isKilled`: it did not end by itself. */
export type Lifecycle = { isStopping: boolean; isClosed: boolean; isKilled: boolean };

/** The parts from which a failure is composed. */
export type TurnContext = {
  spec: AgentSpec;
  child: SpawnedAgent;
  protocol: Protocol;
  turns: TurnKeeper;
  limits: LimitWatch;
  redact: (text: string) => string;
  lifecycle: Lifecycle;
};

/** Ends an agent that is of no more use. */
export function abandon({ child, lifecycle }: Pick<TurnContext, 'child' | 'lifecycle'>): void {
  lifecycle.isClosed = true;
  lifecycle.isKilled ||= child.signalGroup('SIGKILL');
}

type FailedTurn = Extract<TurnOutcome, { status: 'failed' }>;

/** A turn that failed; the diagnostic is redacted here. */
export function failTurn(
  { spec, redact }: TurnContext,
  code: AgentFailureCode,
  text: string,
  safeDetails: SafeDetails = {},
  isSpoiled?: boolean | 'perhaps',
): FailedTurn {
  const diagnostic = cleanDiagnostic(text, redact);
  const failure = agentFailure({ code, agentId: spec.agentId, diagnostic, isSpoiled, safeDetails });
  return { status: 'failed', failure };
}

/**
 * The connection ended before the turn did. A fault of the gateway itself is passed on. Of an agent whose output ended the exit status
 * decides, however long that takes: it crashed, unless it was we who ended it.
 */
export async function failByEnd(context: TurnContext, end: ConnectionEnd, phase: Phase): Promise<TurnOutcome> {
  const { child, protocol, lifecycle, limits } = context;
  if (end.reason === 'fault') throw end.error;
  await protocol.flush();
  if (end.reason === 'protocol-error') return failTurn(context, 'delivery_protocol_error', end.diagnostic, { phase });
  if (end.reason === 'stalled') return failTurn(context, 'delivery_stalled', child.diagnostic(), { phase });
  if (lifecycle.isStopping) return failTurn(context, 'delivery_cancelled', 'the agent was stopped', { phase });
  const exit = await child.exited;
  const { excess } = limits;
  if (lifecycle.isKilled && exit.signal === 'SIGKILL' && excess === undefined)
    return failTurn(context, 'delivery_runtime_transport_failed', exit.diagnostic, { phase });
  const details = { phase, exitCode: exit.exitCode ?? -1, signal: exit.signal ?? 'none' };
  return failTurn(context, 'delivery_agent_crashed', `${excess ?? ''}\n${exit.diagnostic}`, details);
}

/** The prompt was not written whole. */
export async function failByWrite(context: TurnContext, written: NotWritten): Promise<TurnOutcome> {
  const { child, protocol } = context;
  switch (written.status) {
    case 'cancelled':
      return failTurn(context, 'delivery_cancelled', 'cancelled before the first byte');
    case 'file-missing':
      return failTurn(context, 'attachment_artifact_missing', written.diagnostic);
    case 'file-changed': {
      abandon(context);
      const text = 'the file changed while it was sent';
      return failTurn(context, 'attachment_artifact_missing', text, { phase: 'while-writing' });
    }
    case 'stalled':
      abandon(context);
      return failTurn(context, 'delivery_stalled', child.diagnostic(), { phase: 'while-writing' });
    case 'closed': {
      const end = await within(protocol.closed, CLOSED_INPUT_MS);
      if (end === 'timeout') abandon(context);
      const phase = written.hasBegun ? 'while-writing' : 'before-write';
      return await failByEnd(context, end === 'timeout' ? { reason: 'ended' } : end, phase);
    }
    default:
      return written satisfies never;
  }
}
