import { setImmediate as nextRound } from 'node:timers/promises';
import type { Usage } from '@attache/contracts';
import type { DriverHooks } from '../driver.ts';
import { answerPermission } from './answer-permission.ts';
import type { AgentRequests } from './exchange.ts';
import { createUpdateFold } from './fold-updates.ts';
import { recordOf } from './json-values.ts';

/** What is known of the turn that runs. */
export type TurnState = {
  /** Whether the prompt's last byte is still to be accepted. */
  isWriting: boolean;
  /** The gateway's own work after that byte. */
  settlingWritten: Promise<void>;
  readonly interrupted: Promise<'interrupted'>;
  interrupt(): void;
};

export type AgentSession = {
  readonly handlers: AgentRequests;
  /** Updates of other sessions are ignored. */
  setId(sessionId: string): void;
  beginTurn(): TurnState;
  endTurn(): void;
  readonly turn: TurnState | undefined;
  /** Gives out what is unfinished; only once the connection is closed. */
  flush(): Promise<void>;
};

/** Takes in what an agent says and asks in its session. */
export function createAgentSession(hooks: DriverHooks, maxTextLength: number): AgentSession {
  const fold = createUpdateFold(hooks, maxTextLength);
  let id: string | undefined;
  let turn: TurnState | undefined;
  const never = new Promise<never>(() => undefined);

  const handlers: AgentRequests = {
    onRequest(method, params) {
      if (method !== 'session/request_permission') return undefined;
      return answerPermission(params, hooks, turn?.interrupted ?? never);
    },
    async onNotification(method, params) {
      const { sessionId, update } = recordOf(params);
      if (method !== 'session/update' || sessionId !== id) return;
      await afterWritten(turn);
      await fold.apply(recordOf(update));
    },
    async onAnswer(answer) {
      await fold.flush();
      const usage = answer.status === 'result' ? usageOf(answer.result) : undefined;
      if (usage !== undefined) await hooks.onOutput({ type: 'usage', usage });
    },
  };

  return {
    handlers,
    flush: fold.flush,
    setId: (sessionId) => {
      id = sessionId;
    },
    beginTurn: () => {
      turn = newTurn();
      return turn;
    },
    endTurn: () => {
      turn = undefined;
    },
    get turn() {
      return turn;
    },
  };
}

function newTurn(): TurnState {
  const { promise, resolve } = Promise.withResolvers<'interrupted'>();
  return {
    isWriting: true,
    settlingWritten: Promise.resolve(),
    interrupted: promise,
    interrupt: () => resolve('interrupted'),
  };
}

/** An answer may be read before the callback of the write that it answers has run: what follows from a prompt comes after its `written`. */
async function afterWritten(turn: TurnState | undefined): Promise<void> {
  if (turn?.isWriting) await nextRound();
  await turn?.settlingWritten;
}

/** Counts of a `session/prompt` answer, where the agent gives them. */
export function usageOf(result: unknown): Usage | undefined {
  const usage = recordOf(recordOf(result).usage);
  const counts = Object.entries({
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    totalTokens: usage.totalTokens,
  }).filter(([, count]) => Number.isSafeInteger(count) && Number(count) >= 0);
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}
