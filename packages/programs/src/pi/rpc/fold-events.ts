import type { DriverHooks } from '@attache/agent-process';
import { createUpdateFold } from '@attache/agent-process/messages/fold-updates';
import { type JsonRecord, recordOf, recordsOf, stringOf } from '@attache/agent-process/messages/json-values';

export type EventFold = {
  apply(event: JsonRecord): Promise<void>;
  flush(): Promise<void>;
};

/** Turns pi's events into finished items. Pieces of text go out as they come, and again in the whole message. */
export function createEventFold(hooks: DriverHooks, maxTextLength: number): EventFold {
  const fold = createUpdateFold({ ...hooks, onDelta: () => undefined }, maxTextLength);
  let messages = 0;

  async function applyMessage(message: JsonRecord): Promise<void> {
    if (message.role !== 'assistant') return;
    messages += 1;
    for (const { type, text, thinking } of recordsOf(message.content)) {
      if (type === 'text') await fold.apply(chunkOf('agent_message_chunk', text, messages));
      if (type === 'thinking') await fold.apply(chunkOf('agent_thought_chunk', thinking, messages));
    }
  }

  return {
    async apply(event) {
      switch (event.type) {
        case 'message_update':
          return passDelta(recordOf(event.assistantMessageEvent), hooks);
        case 'message_end':
          return await applyMessage(recordOf(event.message));
        case 'tool_execution_start':
          return await fold.apply({ sessionUpdate: 'tool_call', ...callOf(event), status: 'in_progress' });
        case 'tool_execution_end':
          return await fold.apply({
            sessionUpdate: 'tool_call_update',
            ...callOf(event),
            status: event.isError === true ? 'failed' : 'completed',
            content: recordsOf(recordOf(event.result).content).map((content) => ({ type: 'content', content })),
          });
        default:
          return;
      }
    },
    flush: fold.flush,
  };
}

function passDelta({ type, delta }: JsonRecord, hooks: DriverHooks): void {
  const text = stringOf(delta);
  if (text === undefined) return;
  if (type === 'text_delta') hooks.onDelta({ type: 'text', text });
  if (type === 'thinking_delta') hooks.onDelta({ type: 'thought', text });
}

const chunkOf = (sessionUpdate: string, text: unknown, message: number) => ({
  ...{ sessionUpdate, messageId: String(message) },
  content: { type: 'text', text: stringOf(text) ?? '' },
});

const callOf = ({ toolCallId, toolName }: JsonRecord) => ({ toolCallId, name: toolName, title: toolName });
