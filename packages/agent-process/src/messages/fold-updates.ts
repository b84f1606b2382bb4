import type { DriverHooks } from '../driver.ts';
import { createToolCallFold } from './fold-tool-calls.ts';
import { type JsonRecord, recordOf, stringOf } from './json-values.ts';
import { takeMedia, textOfBlock } from './take-media.ts';

export type UpdateFold = {
  /** One `session/update`. */
  apply(update: JsonRecord): Promise<void>;
  /** Gives out what is not finished yet; at the end of a turn. */
  flush(): Promise<void>;
};

type OpenText = { type: 'text' | 'thought'; messageId: string | undefined; pieces: string[]; length: number };

/**
 * Turns an agent's updates into finished items: text is joined until another kind of item, another message or the turn's end,
 * a tool call is one item when it has ended. A text beyond `maxTextLength` characters is given out in pieces.
 */
export function createUpdateFold(hooks: DriverHooks, maxTextLength: number): UpdateFold {
  let open: OpenText | undefined;

  async function flushText(): Promise<void> {
    const text = open?.pieces.join('') ?? '';
    const type = open?.type ?? 'text';
    open = undefined;
    if (text !== '') await hooks.onOutput({ type, text });
  }

  async function applyChunk(type: OpenText['type'], update: JsonRecord): Promise<void> {
    const block = recordOf(update.content);
    const media = takeMedia(block);
    if (media !== undefined) {
      await flushText();
      return await hooks.onOutput({ type: 'media', mimeType: media.mimeType, bytes: media.bytes });
    }
    const messageId = stringOf(update.messageId);
    if (open !== undefined && (open.type !== type || open.messageId !== messageId)) await flushText();
    const text = textOfBlock(block);
    open ??= { type, messageId, pieces: [], length: 0 };
    open.pieces.push(text);
    open.length += text.length;
    if (text !== '') hooks.onDelta({ type, text });
    if (open.length > maxTextLength) await flushText();
  }

  const toolCalls = createToolCallFold(hooks);

  return {
    async apply(update) {
      switch (update.sessionUpdate) {
        case 'agent_message_chunk':
          return await applyChunk('text', update);
        case 'agent_thought_chunk':
          return await applyChunk('thought', update);
        case 'tool_call':
        case 'tool_call_update':
          await flushText();
          return await toolCalls.apply(update);
        default:
          // Plans, modes, commands and counts of context are no output.
          return;
      }
    },
    async flush() {
      await flushText();
      await toolCalls.flush();
    },
  };
}
