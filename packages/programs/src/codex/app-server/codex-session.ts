import type { AgentRequests } from '@attache/agent-process/json-rpc/exchange';
import { type JsonRecord, recordOf, stringOf } from '@attache/agent-process/messages/json-values';
import type { ProtocolContext } from '@attache/agent-process/protocol';
import type { Usage } from '@attache/contracts';
import { answerApproval } from './answer-approval.ts';
import { type CodexTurns, createCodexTurns } from './codex-turns.ts';
import { createItemFold } from './fold-items.ts';

export type CodexSession = {
  readonly handlers: AgentRequests;
  readonly turns: CodexTurns;
  /** Messages about other threads are ignored. */
  setThread(threadId: string): void;
  flush(): Promise<void>;
};

/** Takes in what Codex says and asks in its thread. */
export function createCodexSession(
  { hooks, turns: keeper, incomingLineBytes }: Pick<ProtocolContext, 'hooks' | 'turns' | 'incomingLineBytes'>,
  { explain, forget }: { explain: (reason: string) => void; forget: (turnId: string) => Promise<boolean> },
): CodexSession {
  const fold = createItemFold(hooks, incomingLineBytes);
  const turns = createCodexTurns(forget);
  let thread = '';

  async function endTurn(ended: JsonRecord): Promise<void> {
    await fold.flush();
    const usage = turns.end(ended);
    if (usage !== undefined && usage !== 'stale') await hooks.onOutput({ type: 'usage', usage });
  }

  const handlers: AgentRequests = {
    onRequest: (method, params) => answerApproval(method, recordOf(params), { hooks, fold, turns: keeper, explain }),
    async onNotification(method, params) {
      const record = recordOf(params);
      if (record.threadId !== thread) return;
      await keeper.afterWritten();
      switch (method) {
        case 'turn/started':
          return turns.name(stringOf(recordOf(record.turn).id));
        case 'turn/completed':
          return await endTurn(recordOf(record.turn));
        case 'thread/tokenUsage/updated':
          return turns.count(usageOf(recordOf(recordOf(record.tokenUsage).last)));
        default:
          if (isAnswer(method, record)) turns.noteAnswer();
          return await fold.apply(method, record);
      }
    },
    onAnswer: async () => undefined,
  };

  return {
    handlers,
    turns,
    flush: fold.flush,
    setThread: (threadId) => {
      thread = threadId;
    },
  };
}

// A person's own message also comes back as an item.
function isAnswer(method: string, { item }: JsonRecord): boolean {
  if (method === 'item/agentMessage/delta') return true;
  return method === 'item/started' && recordOf(item).type !== 'userMessage';
}

function usageOf({ inputTokens, outputTokens, totalTokens }: JsonRecord): Usage | undefined {
  const counts = Object.entries({ inputTokens, outputTokens, totalTokens }).filter(([, count]) =>
    Number.isSafeInteger(count),
  );
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}
