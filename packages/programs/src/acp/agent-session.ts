import type { AgentRequests } from '@attache/agent-process/json-rpc/exchange';
import { createUpdateFold } from '@attache/agent-process/messages/fold-updates';
import { type JsonRecord, recordOf } from '@attache/agent-process/messages/json-values';
import type { ProtocolContext } from '@attache/agent-process/protocol';
import type { AcpTraits } from './acp-traits.ts';
import { answerPermission } from './answer-permission.ts';
import { createKnownCalls } from './known-calls.ts';
import { createTroubleLog, type Troubles } from './troubles.ts';
import { usageOfAnswer } from './usage-of-answer.ts';

export type AgentSession = {
  readonly handlers: AgentRequests;
  /** Updates of other sessions are ignored, and so is the history that an agent repeats when it loads one. */
  setId(sessionId: string): void;
  readonly id: string | undefined;
  /** Takes the program's reports outside the protocol about the turn that ends, and whether the model has said anything in it. */
  takeTold(): { troubles: Troubles; isAnswered: boolean };
  /** Gives out what is unfinished; only once the connection is closed. */
  flush(): Promise<void>;
};

/** Whether an update comes from the model, and not from the program alone, as its modes and commands do. */
const isOutput = ({ sessionUpdate }: JsonRecord): boolean =>
  /^(?:agent_(?:message|thought)_chunk|tool_call)$/.test(String(sessionUpdate));

/** Takes in what an agent says and asks in its session. */
export function createAgentSession(
  { hooks, turns, incomingLineBytes }: Pick<ProtocolContext, 'hooks' | 'turns' | 'incomingLineBytes'>,
  { isAboutAttache, notices }: Pick<AcpTraits, 'isAboutAttache' | 'notices'>,
): AgentSession {
  const fold = createUpdateFold(hooks, incomingLineBytes);
  const calls = createKnownCalls();
  const troubles = createTroubleLog();
  let id: string | undefined;
  let isAnswered = false;

  const handlers: AgentRequests = {
    onRequest(method, params) {
      if (method !== 'session/request_permission') return undefined;
      return answerPermission(params, hooks, turns.interrupted(), {
        findCall: calls.find,
        isAboutAttache,
      });
    },
    async onNotification(method, params) {
      const { sessionId, update } = recordOf(params);
      if (sessionId !== id) return;
      if (method === notices?.method) troubles.note(notices.read(params));
      if (method !== 'session/update') return;
      await turns.afterWritten();
      calls.note(recordOf(update));
      isAnswered ||= isOutput(recordOf(update));
      await fold.apply(recordOf(update));
    },
    async onAnswer(answer) {
      await fold.flush();
      const usage = answer.status === 'result' ? usageOfAnswer(answer.result) : undefined;
      if (usage !== undefined) await hooks.onOutput({ type: 'usage', usage });
    },
  };

  return {
    handlers,
    flush: fold.flush,
    takeTold: () => {
      const told = { troubles: troubles.take(), isAnswered };
      isAnswered = false;
      return told;
    },
    setId: (sessionId) => {
      id = sessionId;
    },
    get id() {
      return id;
    },
  };
}
