import type { Usage } from '@attache/contracts';
import type { DeliverRequest } from '../driver.ts';
import type { AgentRequests, Answer } from '../json-rpc/exchange.ts';
import type { ConnectionEnd } from '../messages/connection-end.ts';
import { type JsonRecord, recordOf, stringOf } from '../messages/json-values.ts';
import type { ProtocolContext, TurnEnd } from '../protocol.ts';
import { answerApproval } from './answer-approval.ts';
import { endOfRefusal, endOfTurn } from './end-of-turn.ts';
import { createItemFold } from './fold-items.ts';

export type CodexSession = {
  readonly handlers: AgentRequests;
  setThread(threadId: string): void;
  /** Of the turn that runs. */
  readonly turnId: string | undefined;
  /** The same, once the program has named it; undefined where no turn runs. */
  awaitTurnId(): Promise<string | undefined>;
  /** The end of the turn that a delivery started or is to enter; `answer` is that to its request. */
  endOfTurn(answer: Promise<Answer>, request: DeliverRequest, isSteering: boolean): Promise<TurnEnd>;
  close(end: ConnectionEnd): void;
  flush(): Promise<void>;
};

type RunningTurn = {
  id: string | undefined;
  named: PromiseWithResolvers<string | undefined>;
  ended: PromiseWithResolvers<JsonRecord | ConnectionEnd>;
  usage: Usage | undefined;
};

/** Takes in what Codex says and asks in its thread. */
export function createCodexSession(
  { hooks, turns, incomingLineBytes }: Pick<ProtocolContext, 'hooks' | 'turns' | 'incomingLineBytes'>,
  explain: (reason: string) => void,
): CodexSession {
  const fold = createItemFold(hooks, incomingLineBytes);
  let thread = '';
  let turn: RunningTurn | undefined;

  const nameTurn = (id: string | undefined) => {
    if (turn === undefined || id === undefined) return;
    turn.id ??= id;
    turn.named.resolve(turn.id);
  };

  async function endTurn(ended: JsonRecord): Promise<void> {
    await fold.flush();
    const present = turn;
    if (present?.usage !== undefined) await hooks.onOutput({ type: 'usage', usage: present.usage });
    turn = undefined;
    present?.named.resolve(undefined);
    present?.ended.resolve(ended);
  }

  const handlers: AgentRequests = {
    onRequest: (method, params) => answerApproval(method, recordOf(params), { hooks, fold, turns, explain }),
    async onNotification(method, params) {
      const record = recordOf(params);
      if (record.threadId !== thread) return;
      await turns.afterWritten();
      switch (method) {
        case 'turn/started':
          return nameTurn(stringOf(recordOf(record.turn).id));
        case 'turn/completed':
          return await endTurn(recordOf(record.turn));
        case 'thread/tokenUsage/updated':
          if (turn !== undefined) turn.usage = usageOf(recordOf(recordOf(record.tokenUsage).last));
          return;
        default:
          return await fold.apply(method, record);
      }
    },
    onAnswer: async () => undefined,
  };

  return {
    handlers,
    flush: fold.flush,
    setThread: (threadId) => {
      thread = threadId;
    },
    get turnId() {
      return turn?.id;
    },
    awaitTurnId: async () => turn?.named.promise,
    close: (end) => {
      turn?.named.resolve(undefined);
      turn?.ended.resolve(end);
    },
    async endOfTurn(answer, request, isSteering) {
      if (!isSteering) turn = newTurn();
      const entered = turn;
      const answered = await answer;
      if (answered.status === 'closed') return answered;
      if (answered.status === 'error' || entered === undefined) {
        if (isSteering) return { status: 'not-entered' };
        turn = undefined;
        return endOfRefusal(answered);
      }
      nameTurn(stringOf(recordOf(recordOf(answered.result).turn).id));
      const ended = await entered.ended.promise;
      return 'reason' in ended
        ? { status: 'closed', end: ended as ConnectionEnd }
        : endOfTurn(ended, request, entered.usage);
    },
  };
}

function newTurn(): RunningTurn {
  return { id: undefined, named: Promise.withResolvers(), ended: Promise.withResolvers(), usage: undefined };
}

function usageOf({ inputTokens, outputTokens, totalTokens }: JsonRecord): Usage | undefined {
  const counts = Object.entries({ inputTokens, outputTokens, totalTokens }).filter(([, count]) =>
    Number.isSafeInteger(count),
  );
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}
