import type { DeliverRequest } from '@attache/agent-process';
import type { AgentFailureCode } from '@attache/agent-process/agent-failure';
import type { Answer } from '@attache/agent-process/json-rpc/exchange';
import type { ConnectionEnd } from '@attache/agent-process/messages/connection-end';
import { hasFiles } from '@attache/agent-process/messages/has-files';
import { type JsonRecord, recordOf, stringOf } from '@attache/agent-process/messages/json-values';
import type { TurnEnd } from '@attache/agent-process/protocol';
import type { Usage } from '@attache/contracts';
import { endOfRefusal, endOfTurn } from './end-of-turn.ts';

/** The turn that runs in a thread, from its request to `turn/completed`. */
export type CodexTurns = {
  /** The id of the turn that runs, once the program has named it. */
  readonly id: string | undefined;
  /** The same; undefined where no turn runs. */
  awaitId(): Promise<string | undefined>;
  name(id: string | undefined): void;
  count(usage: Usage | undefined): void;
  /** The model has answered: what was sent in this turn was taken. */
  noteAnswer(): void;
  /** The usage counted in the turn that this message ends; `stale` if it is about another turn. */
  end(ended: JsonRecord): Usage | undefined | 'stale';
  /** The end of the turn that a delivery starts or is to enter; `answer` is that to its request. */
  endOf(answer: Promise<Answer>, request: DeliverRequest, isSteering: boolean): Promise<TurnEnd>;
  close(end: ConnectionEnd): void;
};

type RunningTurn = {
  id: string | undefined;
  named: PromiseWithResolvers<string | undefined>;
  ended: PromiseWithResolvers<JsonRecord | ConnectionEnd>;
  usage: Usage | undefined;
  isAnswered: boolean;
};

/**
 * `forget` takes a turn out of the thread's history, and says whether that was done: Codex would send what its provider refused again with
 * every later turn.
 */
export function createCodexTurns(forget: (turnId: string) => Promise<boolean>): CodexTurns {
  let turn: RunningTurn | undefined;
  let endedId: string | undefined;
  const name = (id: string | undefined) => {
    if (turn === undefined || id === undefined) return;
    turn.id ??= id;
    turn.named.resolve(turn.id);
  };
  return {
    get id() {
      return turn?.id;
    },
    awaitId: async () => turn?.named.promise,
    name,
    count: (usage) => {
      if (turn !== undefined) turn.usage = usage;
    },
    noteAnswer: () => {
      if (turn !== undefined) turn.isAnswered = true;
    },
    end(ended) {
      const present = turn;
      const id = stringOf(ended.id);
      if (present === undefined || (present.id !== undefined && present.id !== id)) return 'stale';
      // A turn has no name until its request is answered; the one before it may be ended twice meanwhile.
      if (id !== undefined && id === endedId) return 'stale';
      endedId = id;
      turn = undefined;
      present.named.resolve(undefined);
      present.ended.resolve(ended);
      return present.usage;
    },
    async endOf(answer, request, isSteering) {
      if (!isSteering) turn = newTurn();
      const entered = turn;
      const answered = await answer;
      if (answered.status === 'closed') return answered;
      if (answered.status === 'error' || entered === undefined) {
        if (isSteering) return { status: 'not-entered' };
        turn = undefined;
        return endOfRefusal(answered);
      }
      name(stringOf(recordOf(recordOf(answered.result).turn).id));
      const end = endOf(await entered.ended.promise, request, entered.usage);
      if (end.status !== 'failed' || entered.id === undefined || !mayBeTheFiles(end.code, request, entered)) return end;
      return { ...end, isForgotten: await forget(entered.id) };
    },
    close: (end) => {
      turn?.named.resolve(undefined);
      turn?.ended.resolve(end);
    },
  };
}

function newTurn(): RunningTurn {
  const ends = {
    named: Promise.withResolvers<string | undefined>(),
    ended: Promise.withResolvers<JsonRecord | ConnectionEnd>(),
  };
  return { ...ends, id: undefined, usage: undefined, isAnswered: false };
}

// Not every provider reports a refused file in a form that we know. A turn without an answer loses nothing.
function mayBeTheFiles(code: AgentFailureCode, { parts }: DeliverRequest, { isAnswered }: RunningTurn): boolean {
  return code === 'attachment_provider_rejected' || (!isAnswered && hasFiles(parts));
}

function endOf(ended: JsonRecord | ConnectionEnd, request: DeliverRequest, usage: Usage | undefined): TurnEnd {
  return 'reason' in ended ? { status: 'closed', end: ended as ConnectionEnd } : endOfTurn(ended, request, usage);
}
