import type { Part } from '@attache/contracts';
import { type AgentFailureCode, agentFailure } from '../agent-failure.ts';
import type { AgentSpec, TurnOutcome } from '../driver.ts';
import type { WriteOutcome } from '../frames/write-frame.ts';
import type { SpawnedAgent } from '../spawn-agent.ts';
import { cleanDiagnostic } from '../stderr-tail.ts';
import { within } from '../within.ts';
import type { AcpConnection } from './acp-connection.ts';
import type { AgentSession } from './agent-session.ts';
import type { Answer, ConnectionEnd } from './exchange.ts';
import { AUTH_REQUIRED } from './open-session.ts';

const EXIT_WAIT_MS = 2000;
// JSON-RPC's own errors about a request that the other side cannot use.
const BAD_REQUESTS = [-32700, -32600, -32601, -32602];
// Some agents pass on their provider's HTTP status as the code.
const PROVIDER_UNAUTHORIZED = 401;
const PROVIDER_QUOTA = 429;

/** Whether the agent may already have seen the message (DL-82). */
type Phase = 'before-write' | 'while-writing' | 'after-write';
type NotWritten = Exclude<WriteOutcome, { status: 'written' }>;
/** What a failure is told from. */
export type TurnContext = {
  spec: AgentSpec;
  child: SpawnedAgent;
  connection: AcpConnection;
  session: AgentSession;
  redact: (text: string) => string;
  lifecycle: { isStopping: boolean };
};

type SafeDetails = Record<string, string | number>;

/** A turn that failed; the diagnostic is redacted here. */
export function failTurn(
  { spec, redact }: TurnContext,
  code: AgentFailureCode,
  text: string,
  safeDetails: SafeDetails = {},
): TurnOutcome {
  const diagnostic = cleanDiagnostic(text, redact);
  return { status: 'failed', failure: agentFailure({ code, agentId: spec.agentId, diagnostic, safeDetails }) };
}

/** The connection ended before the turn did. A fault of the gateway itself is passed on. */
export async function failByEnd(context: TurnContext, end: ConnectionEnd, phase: Phase): Promise<TurnOutcome> {
  const { child, session, lifecycle } = context;
  if (end.reason === 'fault') throw end.error;
  await session.flush();
  if (end.reason === 'protocol-error') return failTurn(context, 'delivery_protocol_error', end.diagnostic, { phase });
  if (lifecycle.isStopping) return failTurn(context, 'delivery_cancelled', 'the agent was stopped', { phase });
  const exit = await within(child.exited, EXIT_WAIT_MS);
  if (exit === 'timeout') return failTurn(context, 'delivery_runtime_transport_failed', child.diagnostic(), { phase });
  const details = { phase, exitCode: exit.exitCode ?? -1, signal: exit.signal ?? 'none' };
  return failTurn(context, 'delivery_agent_crashed', exit.diagnostic, details);
}

/** The prompt was not written whole. */
export async function failByWrite(context: TurnContext, written: NotWritten): Promise<TurnOutcome> {
  const { child, connection } = context;
  switch (written.status) {
    case 'cancelled':
      return failTurn(context, 'delivery_cancelled', 'cancelled before the first byte');
    case 'file-missing':
      return failTurn(context, 'attachment_artifact_missing', written.diagnostic);
    case 'file-changed': {
      child.signalGroup('SIGKILL');
      const text = 'the file changed while it was sent';
      return failTurn(context, 'attachment_artifact_missing', text, { phase: 'while-writing' });
    }
    case 'stalled':
      child.signalGroup('SIGKILL');
      return failTurn(context, 'delivery_stalled', child.diagnostic(), { phase: 'while-writing' });
    case 'closed': {
      const end = await within(connection.closed, EXIT_WAIT_MS);
      if (end === 'timeout') child.signalGroup('SIGKILL');
      const phase = written.hasBegun ? 'while-writing' : 'before-write';
      return await failByEnd(context, end === 'timeout' ? { reason: 'ended' } : end, phase);
    }
    default:
      return written satisfies never;
  }
}

/** The agent answered with a JSON-RPC error. */
export function failByError(
  context: TurnContext,
  { code, message }: Extract<Answer, { status: 'error' }>,
  parts: readonly Part[],
): TurnOutcome {
  const hasAttachments = parts.some((part) => part.type !== 'text');
  const text = `error ${code}: ${message}`;
  return failTurn(context, codeOfError(code, hasAttachments), text, { agentCode: code });
}

function codeOfError(code: number, hasAttachments: boolean): AgentFailureCode {
  if (code === AUTH_REQUIRED || code === PROVIDER_UNAUTHORIZED) return 'delivery_agent_auth_required';
  if (code === PROVIDER_QUOTA) return 'attachment_provider_quota_exceeded';
  if (BAD_REQUESTS.includes(code)) return 'delivery_protocol_error';
  return hasAttachments ? 'attachment_provider_rejected' : 'delivery_runtime_transport_failed';
}
