import type { InitializeRequest, NewSessionRequest } from '@agentclientprotocol/sdk';
import type { DeclaredCapability } from '@attache/contracts';
import type { AgentFailureCode } from '../agent-failure.ts';
import { createFrame } from '../frames/create-frame.ts';
import { within } from '../within.ts';
import type { AcpConnection } from './acp-connection.ts';
import type { Answer, ConnectionEnd } from './exchange.ts';
import { recordOf, stringOf } from './json-values.ts';

const ACP_VERSION = 1;
export const AUTH_REQUIRED = -32000;

export type OpenSessionRequest = {
  connection: Pick<AcpConnection, 'request' | 'closed'>;
  client: { name: string; version: string };
  /** The session's working folder. */
  folder: string;
  startMs: number;
};

export type OpenFailure = { status: 'failed'; code: AgentFailureCode; diagnostic: string };
export type OpenedSession = {
  status: 'opened';
  sessionId: string;
  declared: DeclaredCapability;
  programVersion: string | undefined;
};

/** `initialize` and `session/new`, both within `startMs`. */
export async function openSession(request: OpenSessionRequest): Promise<OpenedSession | OpenFailure> {
  const { connection, client, folder, startMs } = request;
  const deadline = performance.now() + startMs;
  const initialize: InitializeRequest = { protocolVersion: ACP_VERSION, clientCapabilities: {}, clientInfo: client };
  const initialized = await ask(connection, 'initialize', initialize, deadline);
  if (initialized.status === 'failed') return initialized;
  const { protocolVersion, agentCapabilities, agentInfo } = initialized.result;
  if (protocolVersion !== ACP_VERSION) return startFailed(`protocol version ${String(protocolVersion)}`);
  const newSession: NewSessionRequest = { cwd: folder, mcpServers: [] };
  const created = await ask(connection, 'session/new', newSession, deadline);
  if (created.status === 'failed') return created;
  const sessionId = stringOf(created.result.sessionId);
  if (sessionId === undefined) return startFailed('session/new was answered without a session id');
  const declared = declaredCapability(recordOf(agentCapabilities).promptCapabilities);
  return { status: 'opened', sessionId, declared, programVersion: stringOf(recordOf(agentInfo).version)?.slice(0, 64) };
}

type Asked = { status: 'answered'; result: Readonly<Record<string, unknown>> } | OpenFailure;

async function ask(
  connection: Pick<AcpConnection, 'request' | 'closed'>,
  method: string,
  params: InitializeRequest | NewSessionRequest,
  deadline: number,
): Promise<Asked> {
  const frame = createFrame(() => ({ jsonrpc: '2.0', id: method, method, params }));
  const { written, answer } = connection.request(method, frame);
  // What was not written is never answered: how the connection ends says why.
  const settled = written.then(async ({ status }): Promise<Answer> => {
    return status === 'written' ? answer : { status: 'closed', end: await connection.closed };
  });
  return askedOf(method, await within(Promise.race([answer, settled]), Math.max(1, deadline - performance.now())));
}

function askedOf(method: string, answer: Answer | 'timeout'): Asked {
  if (answer === 'timeout') return startFailed(`${method} was not answered in time`);
  switch (answer.status) {
    case 'result':
      return { status: 'answered', result: recordOf(answer.result) };
    case 'error': {
      const code = answer.code === AUTH_REQUIRED ? 'delivery_agent_auth_required' : 'delivery_agent_start_failed';
      return { status: 'failed', code, diagnostic: `${method}: error ${answer.code}: ${answer.message}` };
    }
    case 'closed':
      return failureOfEnd(method, answer.end);
    default:
      return answer satisfies never;
  }
}

function failureOfEnd(method: string, end: ConnectionEnd): OpenFailure {
  switch (end.reason) {
    case 'ended':
      return startFailed(`the program ended before it answered ${method}`);
    case 'protocol-error':
      return { status: 'failed', code: 'delivery_protocol_error', diagnostic: end.diagnostic };
    case 'fault':
      throw end.error;
    default:
      return end satisfies never;
  }
}

function startFailed(diagnostic: string): OpenFailure {
  return { status: 'failed', code: 'delivery_agent_start_failed', diagnostic };
}

function declaredCapability(value: unknown): DeclaredCapability {
  const { image, audio, embeddedContext } = recordOf(value);
  return { image: image === true, audio: audio === true, embeddedContext: embeddedContext === true };
}
