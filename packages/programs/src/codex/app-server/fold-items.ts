import type { DriverHooks } from '@attache/agent-process';
import { createUpdateFold } from '@attache/agent-process/messages/fold-updates';
import { type JsonRecord, recordOf, recordsOf, stringOf } from '@attache/agent-process/messages/json-values';

const MAX_KNOWN_ITEMS = 256;

export type ItemFold = {
  apply(method: string, params: JsonRecord): Promise<void>;
  /** An item that has started and is not completed yet. */
  findItem(itemId: string): JsonRecord | undefined;
  flush(): Promise<void>;
};

/** Turns Codex's items into finished output. Pieces of text go out as they come, and again in the whole item. */
export function createItemFold(hooks: DriverHooks, maxTextLength: number): ItemFold {
  const fold = createUpdateFold({ ...hooks, onDelta: () => undefined }, maxTextLength);
  const started = new Map<string, JsonRecord>();

  async function complete(item: JsonRecord): Promise<void> {
    const id = stringOf(item.id) ?? '';
    started.delete(id);
    if (item.type === 'agentMessage') return await fold.apply(chunkOf('agent_message_chunk', id, item.text));
    if (item.type === 'reasoning') {
      const texts = [item.summary, item.content].flatMap((each) => (Array.isArray(each) ? each : []));
      return await fold.apply(chunkOf('agent_thought_chunk', id, texts.join('\n')));
    }
    const update = describeCall(item);
    if (update !== undefined) await fold.apply({ sessionUpdate: 'tool_call_update', toolCallId: id, ...update });
  }

  return {
    async apply(method, params) {
      const item = recordOf(params.item);
      switch (method) {
        case 'item/started': {
          started.set(stringOf(item.id) ?? '', item);
          const [oldest] = started.keys();
          if (oldest !== undefined && started.size > MAX_KNOWN_ITEMS) started.delete(oldest);
          return;
        }
        case 'item/completed':
          return await complete(item);
        case 'item/agentMessage/delta':
          return hooks.onDelta({ type: 'text', text: stringOf(params.delta) ?? '' });
        case 'item/reasoning/summaryTextDelta':
        case 'item/reasoning/textDelta':
          return hooks.onDelta({ type: 'thought', text: stringOf(params.delta) ?? '' });
        default:
          return;
      }
    },
    findItem: (itemId) => started.get(itemId),
    flush: fold.flush,
  };
}

function chunkOf(sessionUpdate: string, messageId: string, text: unknown): JsonRecord {
  return { sessionUpdate, messageId, content: { type: 'text', text } };
}

/** A tool's item as an update of a call; undefined for what is no tool. */
function describeCall(item: JsonRecord): JsonRecord | undefined {
  const status = item.status === 'completed' ? 'completed' : 'failed';
  switch (item.type) {
    case 'commandExecution':
      return { name: 'shell', title: item.command, status, rawOutput: item.aggregatedOutput ?? undefined };
    case 'fileChange':
      return { name: 'apply_patch', title: 'apply_patch', status, rawOutput: item.changes };
    case 'mcpToolCall': {
      const title = `${stringOf(item.server) ?? ''}.${stringOf(item.tool) ?? ''}`;
      const { content, structuredContent } = recordOf(item.result);
      const rawOutput = stringOf(recordOf(item.error).message) ?? structuredContent ?? undefined;
      return { name: title, title, status, content: recordsOf(content).map(wrap), rawOutput };
    }
    case 'dynamicToolCall':
      return { name: item.tool, title: item.tool, status, rawOutput: item.contentItems ?? undefined };
    case 'imageView':
      return { name: 'view_image', title: 'view_image', status: 'completed' };
    default:
      return undefined;
  }
}

function wrap(content: JsonRecord): JsonRecord {
  return { content };
}
