import { type AgentSpec, agentFolders } from '@attache/agent-process';
import type { Answer } from '@attache/agent-process/json-rpc/exchange';
import type { JsonRpcConnection } from '@attache/agent-process/json-rpc/json-rpc-connection';
import { type JsonRecord, recordOf, stringOf } from '@attache/agent-process/messages/json-values';
import { failureOfEnd, startFailed } from '@attache/agent-process/open-failure';
import type { OpenedSession, OpenFailure } from '@attache/agent-process/protocol';
import { within } from '@attache/agent-process/within';
import type { DeclaredCapability } from '@attache/contracts';

type OpenedThread = OpenedSession & { threadId: string };
type Asked = { status: 'answered'; result: JsonRecord } | OpenFailure;

// Images go to every model; sound only to one that the catalog lists with it, which the plan knows.
const declared: DeclaredCapability = { image: true, audio: true, embeddedContext: false };

/**
 * `initialize`, then the agent's earlier thread or a new one. A thread that cannot be resumed is begun again. With the policy
 * `untrusted` Codex asks about every command that it does not know to only read.
 */
export async function openThread(
  connection: Pick<JsonRpcConnection, 'ask' | 'notify'>,
  spec: Pick<AgentSpec, 'folder' | 'startMs' | 'resumeReference' | 'sandbox'>,
  client: { name: string; version: string },
): Promise<OpenedThread | OpenFailure> {
  const deadline = performance.now() + spec.startMs;
  const ask = async (method: string, params: object): Promise<Asked> =>
    askedOf(method, await within(connection.ask(method, params), Math.max(1, deadline - performance.now())));
  const initialized = await ask('initialize', { clientInfo: client, capabilities: { experimentalApi: true } });
  if (initialized.status === 'failed') return initialized;
  await connection.notify('initialized');
  const { resumeReference } = spec;
  // Its own sandbox cannot be made inside of ours, where every command would fail.
  const sandbox = spec.sandbox === undefined ? 'workspace-write' : 'danger-full-access';
  const place = { cwd: agentFolders(spec.folder).work, approvalPolicy: 'untrusted', sandbox };
  const resumed =
    resumeReference === undefined
      ? undefined
      : await ask('thread/resume', { ...place, threadId: resumeReference, excludeTurns: true });
  const thread = resumed?.status === 'answered' ? resumed : await ask('thread/start', place);
  if (thread.status === 'failed') return thread;
  const threadId = stringOf(recordOf(thread.result.thread).id);
  if (threadId === undefined) return startFailed('thread/start was answered without a thread');
  const programVersion = versionOf(stringOf(initialized.result.userAgent));
  return { status: 'opened', declared, programVersion, threadId, isResumed: thread === resumed };
}

function askedOf(method: string, answer: Answer | 'timeout'): Asked {
  if (answer === 'timeout') return startFailed(`${method} was not answered in time`);
  if (answer.status === 'closed') return failureOfEnd(method, answer.end);
  if (answer.status === 'error') return startFailed(`${method}: error ${answer.code}: ${answer.message}`);
  return { status: 'answered', result: recordOf(answer.result) };
}

/** A user agent names its client and the program, each with a version. */
function versionOf(userAgent: string | undefined): string | undefined {
  return /\/(\d+\.\d+\.\d+[\w.-]*)/.exec(userAgent ?? '')?.[1]?.slice(0, 64);
}
