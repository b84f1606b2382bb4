import type { ConnectionEnd } from '@attache/agent-process/messages/connection-end';
import { hasFiles } from '@attache/agent-process/messages/has-files';
import { type JsonRecord, stringOf } from '@attache/agent-process/messages/json-values';
import type { ProtocolContext, TurnEnd } from '@attache/agent-process/protocol';
import type { DeliveryId, Part } from '@attache/contracts';
import { answerToolCall } from './answer-tool-call.ts';
import { endOfResult, usageOfResult } from './end-of-result.ts';
import { createMessageFold } from './fold-messages.ts';

export type ClaudeSession = {
  /** The program's own name of the conversation; known from the first turn on. */
  readonly id: string | undefined;
  take(message: JsonRecord): Promise<void>;
  answer(request: JsonRecord): Promise<object>;
  expectResult(deliveryId: DeliveryId, parts: readonly Part[]): Promise<TurnEnd>;
  close(end: ConnectionEnd): void;
  flush(): Promise<void>;
};

type Expected = { deliveryId: DeliveryId; hasAttachments: boolean; resolve: (end: TurnEnd) => void };

/** Takes in what Claude Code says and asks. */
export function createClaudeSession({
  spec,
  hooks,
  turns,
  incomingLineBytes,
}: Pick<ProtocolContext, 'spec' | 'hooks' | 'turns' | 'incomingLineBytes'>): ClaudeSession {
  const fold = createMessageFold(hooks, incomingLineBytes);
  let id = spec.resumeReference;
  let expected: Expected | undefined;
  let closedBy: ConnectionEnd | undefined;

  async function takeResult(message: JsonRecord): Promise<void> {
    await fold.flush();
    const usage = usageOfResult(message);
    if (usage !== undefined) await hooks.onOutput({ type: 'usage', usage });
    const turn = expected;
    expected = undefined;
    const troubles = fold.takeTroubles();
    turn?.resolve(endOfResult(message, { ...turn, ...troubles }));
  }

  return {
    get id() {
      return id;
    },
    async take(message) {
      id = stringOf(message.session_id) ?? id;
      await turns.afterWritten();
      if (message.type === 'result') await takeResult(message);
      else await fold.apply(message);
    },
    answer: (request) => answerToolCall(request, hooks, turns.interrupted()),
    expectResult(deliveryId, parts) {
      if (closedBy !== undefined) return Promise.resolve({ status: 'closed', end: closedBy });
      const hasAttachments = hasFiles(parts);
      return new Promise((resolve) => {
        expected = { deliveryId, hasAttachments, resolve };
      });
    },
    close(end) {
      closedBy = end;
      expected?.resolve({ status: 'closed', end });
    },
    flush: fold.flush,
  };
}
