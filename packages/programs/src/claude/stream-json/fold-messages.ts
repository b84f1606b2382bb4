import type { DriverHooks } from '@attache/agent-process';
import { createUpdateFold } from '@attache/agent-process/messages/fold-updates';
import { type JsonRecord, recordOf, recordsOf, stringOf } from '@attache/agent-process/messages/json-values';

export type Troubles = {
  /** The error of the turn's last faulty message. */
  error: string | undefined;
  /** A picture or document was taken out of the conversation, and the turn went on without it. */
  removedMedia: boolean;
};

export type MessageFold = {
  /** One message of the program's output that is not the end of a turn. */
  apply(message: JsonRecord): Promise<void>;
  flush(): Promise<void>;
  /** Takes the reports about the turn's failures, and forgets them. */
  takeTroubles(): Troubles;
};

/** Turns Claude Code's messages into finished items. Pieces of text go out as they come, and again in the whole message. */
export function createMessageFold(hooks: DriverHooks, maxTextLength: number): MessageFold {
  const fold = createUpdateFold({ ...hooks, onDelta: () => undefined }, maxTextLength);
  let troubles: Troubles = { error: undefined, removedMedia: false };

  const noteTroubles = (message: JsonRecord) => {
    const error = stringOf(message.error) ?? troubles.error;
    troubles = { error, removedMedia: troubles.removedMedia || message.api_error === 'media_removed' };
  };

  async function applyBlock(block: JsonRecord, messageId: string | undefined): Promise<void> {
    switch (block.type) {
      case 'text':
        return await fold.apply(chunkOf('agent_message_chunk', stringOf(block.text), messageId));
      case 'thinking':
        return await fold.apply(chunkOf('agent_thought_chunk', stringOf(block.thinking), messageId));
      case 'tool_use':
        return await fold.apply({
          sessionUpdate: 'tool_call',
          ...{ toolCallId: block.id, name: block.name, title: block.name, status: 'in_progress' },
        });
      case 'tool_result':
        return await fold.apply({
          sessionUpdate: 'tool_call_update',
          toolCallId: block.tool_use_id,
          status: block.is_error === true ? 'failed' : 'completed',
          content: contentOf(block.content),
        });
      default:
        return;
    }
  }

  return {
    async apply(message) {
      if (message.type === 'stream_event') return applyDelta(recordOf(message.event), hooks);
      if (message.type !== 'assistant' && message.type !== 'user') return;
      noteTroubles(message);
      const { id, content } = recordOf(message.message);
      for (const block of recordsOf(content)) await applyBlock(block, stringOf(id));
    },
    flush: fold.flush,
    takeTroubles() {
      const taken = troubles;
      troubles = { error: undefined, removedMedia: false };
      return taken;
    },
  };
}

function applyDelta({ delta }: JsonRecord, hooks: DriverHooks): void {
  const { type, text, thinking } = recordOf(delta);
  if (type === 'text_delta' && typeof text === 'string') hooks.onDelta({ type: 'text', text });
  if (type === 'thinking_delta' && typeof thinking === 'string') hooks.onDelta({ type: 'thought', text: thinking });
}

function chunkOf(sessionUpdate: string, text: string | undefined, messageId: string | undefined): JsonRecord {
  return { sessionUpdate, messageId, content: { type: 'text', text: text ?? '' } };
}

/** A result's blocks as the fold takes them; media is taken out there. */
function contentOf(content: unknown): JsonRecord[] {
  if (typeof content === 'string') return [{ content: { type: 'text', text: content } }];
  return recordsOf(content).map((block) => {
    const source = recordOf(block.source);
    if (source.type !== 'base64') return { content: block };
    if (block.type === 'image') return { content: { type: 'image', data: source.data, mimeType: source.media_type } };
    return { content: { type: 'resource', resource: { blob: source.data, mimeType: source.media_type } } };
  });
}
