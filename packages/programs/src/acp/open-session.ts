import type { InitializeRequest, McpServerStdio, NewSessionRequest } from '@agentclientprotocol/sdk';
import { type AgentSpec, agentFolders } from '@attache/agent-process';
import type { Answer } from '@attache/agent-process/json-rpc/exchange';
import type { JsonRpcConnection } from '@attache/agent-process/json-rpc/json-rpc-connection';
import { recordOf, recordsOf, stringOf } from '@attache/agent-process/messages/json-values';
import { failureOfEnd, startFailed } from '@attache/agent-process/open-failure';
import type { OpenedSession, OpenFailure } from '@attache/agent-process/protocol';
import { within } from '@attache/agent-process/within';
import { AGENT_SOCKET_VARIABLE, AGENT_TOKEN_VARIABLE, type DeclaredCapability } from '@attache/contracts';
import type { AcpTraits } from './acp-traits.ts';
import { AUTH_REQUIRED } from './end-of-prompt.ts';
import { typedFailures } from './session-failure.ts';

const ACP_VERSION = 1;

export type OpenSessionRequest = {
  connection: Pick<JsonRpcConnection, 'ask'>;
  client: { name: string; version: string };
  spec: Pick<
    AgentSpec,
    'folder' | 'startMs' | 'mcpCommand' | 'socketPath' | 'token' | 'resumeReference' | 'permissionMode'
  >;
  /** Way to sign in that the program's settings prepared; tried where a session is refused without. */
  authMethod: string | undefined;
  /** Whether a later process of this program can load its sessions. */
  isLoadable: boolean;
  metaOf: AcpTraits['metaOf'];
};

export type OpenedAcpSession = OpenedSession & {
  sessionId: string;
  /** Whether a later process can continue with it. */
  isLoadable: boolean;
};
type Asked = { status: 'answered'; result: Readonly<Record<string, unknown>> } | OpenFailure;
type Ask = (method: string, params: object) => Promise<Asked>;

/** `initialize`, then the agent's earlier session or a new one, all within `startMs`. */
export async function openSession(request: OpenSessionRequest): Promise<OpenedAcpSession | OpenFailure> {
  const { connection, client, spec } = request;
  const deadline = performance.now() + spec.startMs;
  const ask: Ask = async (method, params) =>
    askedOf(method, await within(connection.ask(method, params), Math.max(1, deadline - performance.now())));
  const clientCapabilities = { _meta: typedFailures };
  const initialize: InitializeRequest = { protocolVersion: ACP_VERSION, clientCapabilities, clientInfo: client };
  const initialized = await ask('initialize', initialize);
  if (initialized.status === 'failed') return initialized;
  const { protocolVersion, agentCapabilities, agentInfo, authMethods } = initialized.result;
  if (protocolVersion !== ACP_VERSION) return startFailed(`protocol version ${String(protocolVersion)}`);
  const capabilities = recordOf(agentCapabilities);
  const canAuthenticate = recordsOf(authMethods).some(({ id }) => id === request.authMethod);
  const returnsBy = request.isLoadable ? listWaysBack(capabilities) : [];
  const session = await enterSession(ask, request, { canAuthenticate, returnsBy });
  if (session.status === 'failed') return session;
  return {
    status: 'opened',
    declared: declaredCapability(capabilities.promptCapabilities),
    programVersion: stringOf(recordOf(agentInfo).version)?.slice(0, 64),
    sessionId: session.sessionId,
    isLoadable: returnsBy.length > 0,
    isResumed: session.isResumed,
  };
}

/** The methods by which a later process continues a session. The first one replays nothing. */
function listWaysBack(capabilities: Readonly<Record<string, unknown>>): WayBack[] {
  const { resume = null } = recordOf(capabilities.sessionCapabilities);
  return [
    ...(resume === null ? [] : (['session/resume'] as const)),
    ...(capabilities.loadSession === true ? (['session/load'] as const) : []),
  ];
}

type WayBack = 'session/resume' | 'session/load';

type Entered = { status: 'entered'; sessionId: string; isResumed: boolean } | OpenFailure;

/** Opens the session. One that cannot be loaded is begun again: the agent then knows nothing of the earlier conversation, and the log says so. */
async function enterSession(
  ask: Ask,
  { spec, authMethod, metaOf }: OpenSessionRequest,
  { canAuthenticate, returnsBy }: { canAuthenticate: boolean; returnsBy: readonly WayBack[] },
): Promise<Entered> {
  const _meta = metaOf(spec);
  const place: NewSessionRequest = {
    ...{ cwd: agentFolders(spec.folder).work, mcpServers: mcpServersOf(spec) },
    ...(_meta === undefined ? {} : { _meta }),
  };
  const askSignedIn: Ask = async (method, params) => {
    const asked = await ask(method, params);
    const mustSignIn = asked.status === 'failed' && asked.code === 'delivery_agent_auth_required';
    if (!mustSignIn || !canAuthenticate) return asked;
    const signedIn = await ask('authenticate', { methodId: authMethod });
    return signedIn.status === 'failed' ? signedIn : await ask(method, params);
  };
  const { resumeReference } = spec;
  for (const way of resumeReference === undefined ? [] : returnsBy) {
    const returned = await askSignedIn(way, { ...place, sessionId: resumeReference });
    if (returned.status === 'answered') return { status: 'entered', sessionId: resumeReference ?? '', isResumed: true };
  }
  const created = await askSignedIn('session/new', place);
  if (created.status === 'failed') return created;
  const sessionId = stringOf(created.result.sessionId);
  if (sessionId === undefined) return startFailed('session/new was answered without a session id');
  return { status: 'entered', sessionId, isResumed: false };
}

function mcpServersOf({ mcpCommand, socketPath, token }: OpenSessionRequest['spec']): McpServerStdio[] {
  if (mcpCommand === undefined) return [];
  const [command = '', ...args] = mcpCommand;
  const env = [
    { name: AGENT_SOCKET_VARIABLE, value: socketPath },
    { name: AGENT_TOKEN_VARIABLE, value: token },
  ];
  return [{ name: 'attache', command, args, env }];
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

function declaredCapability(value: unknown): DeclaredCapability {
  const { image, audio, embeddedContext } = recordOf(value);
  return { image: image === true, audio: audio === true, embeddedContext: embeddedContext === true };
}
