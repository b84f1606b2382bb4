import type { Conversation, OfferedTool } from '../conversation.ts';
import { type Answer, type Dialect, type ServerEvent, type ToolCall, usage } from './dialect.ts';
import { composeOpenAiFailure } from './openai-failure.ts';
import { readResponses } from './read-responses.ts';

export const responsesDialect: Dialect = {
  api: 'openai-responses',
  readConversation: readResponses,
  composeAnswer: (answer, conversation) => composeResponse(answer, conversation, composeItems(answer, conversation)),
  composeEvents,
  composeTokenCount: () => ({ object: 'response.input_tokens', input_tokens: usage.inputTokens }),
  composeFailure: composeOpenAiFailure,
};

type StreamEvent = { type: string } & Record<string, unknown>;
type OutputItem = { type: string; id: string; status: string };

function composeResponse({ id }: Answer, { model }: Conversation, output: readonly OutputItem[] | undefined) {
  const figures = {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
  const isDone = output !== undefined;
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 0,
    model,
    status: isDone ? 'completed' : 'in_progress',
    output: output ?? [],
    usage: isDone ? figures : null,
    error: null,
    incomplete_details: null,
  };
}

function composeItems({ id, text, toolCalls }: Answer, conversation: Conversation): OutputItem[] {
  const calls = toolCalls.map((call) => composeCall(call, conversation));
  return text === undefined ? calls : [composeMessage(id, text), ...calls];
}

function composeMessage(id: string, text: string) {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: `msg_${id}`, status: 'completed', role: 'assistant', content };
}

function composeCall({ id, name, input }: ToolCall, { tools }: Conversation) {
  const tool = tools.find((offered) => offered.name === name);
  const call = { id: `item_${id}`, status: 'completed', call_id: id, ...splitName(name, tool) };
  if (tool?.kind === 'custom') return { type: 'custom_tool_call', ...call, input: String(input) };
  return { type: 'function_call', ...call, arguments: JSON.stringify(input) };
}

// A tool of an MCP server may be called before it was offered, as a model does that has looked it up.
function splitName(name: string, tool: OfferedTool | undefined): { name: string; namespace?: string } {
  const namespace = tool ? tool.namespace : /^mcp__.+?(?=__)/.exec(name)?.[0];
  if (namespace === undefined) return { name };
  return { namespace, name: name.startsWith(`${namespace}__`) ? name.slice(namespace.length + 2) : name };
}

function composeEvents(answer: Answer, conversation: Conversation): ServerEvent[] {
  const items = composeItems(answer, conversation);
  const events: StreamEvent[] = [
    { type: 'response.created', response: composeResponse(answer, conversation, undefined) },
    ...items.flatMap((item, output_index) => composeItemEvents(item, output_index, answer.text)),
    { type: 'response.completed', response: composeResponse(answer, conversation, items) },
  ];
  return events.map((data, sequence_number) => ({ event: data.type, data: { ...data, sequence_number } }));
}

function composeItemEvents(item: OutputItem, output_index: number, text: string | undefined): StreamEvent[] {
  const at = { item_id: item.id, output_index };
  return [
    { type: 'response.output_item.added', output_index, item: composeStartedItem(item) },
    ...(item.type === 'message' && text !== undefined ? composeTextEvents(at, text) : []),
    ...composeInputEvents(at, item),
    { type: 'response.output_item.done', output_index, item },
  ];
}

function composeStartedItem(item: OutputItem): OutputItem {
  const emptied = { content: [], arguments: '', input: '' };
  const known = Object.entries(emptied).filter(([key]) => key in item);
  return { ...item, ...Object.fromEntries(known), status: 'in_progress' };
}

function composeTextEvents(at: { item_id: string; output_index: number }, text: string) {
  const place = { ...at, content_index: 0 };
  const part = { type: 'output_text', text, annotations: [] };
  return [
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...place, delta: text },
    { type: 'response.output_text.done', ...place, text },
    { type: 'response.content_part.done', ...place, part },
  ];
}

function composeInputEvents(at: { item_id: string; output_index: number }, item: OutputItem) {
  if ('arguments' in item) {
    const { arguments: given } = item;
    return [
      { type: 'response.function_call_arguments.delta', ...at, delta: given },
      { type: 'response.function_call_arguments.done', ...at, arguments: given },
    ];
  }
  if (!('input' in item)) return [];
  return [
    { type: 'response.custom_tool_call_input.delta', ...at, delta: item.input },
    { type: 'response.custom_tool_call_input.done', ...at, input: item.input },
  ];
}
