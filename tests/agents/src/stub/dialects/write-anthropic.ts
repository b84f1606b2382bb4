import { type Answer, type Dialect, type ModelFailure, type ServerEvent, usage } from './dialect.ts';
import { readAnthropic } from './read-anthropic.ts';

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export const anthropicDialect: Dialect = {
  api: 'anthropic',
  readConversation: readAnthropic,
  composeAnswer: (answer, { model }) => ({
    ...composeMessage(answer, model),
    content: composeBlocks(answer),
    stop_reason: stopReasonOf(answer),
    usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
  }),
  composeEvents: (answer, { model }) => composeEvents(answer, model),
  composeTokenCount: () => ({ input_tokens: usage.inputTokens }),
  composeFailure,
};

type AnswerBlock = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: unknown };

function composeMessage({ id }: Answer, model: string) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null };
}

function composeBlocks({ text, toolCalls }: Answer): AnswerBlock[] {
  const calls = toolCalls.map((call) => ({ type: 'tool_use' as const, ...call }));
  return text === undefined ? calls : [{ type: 'text', text }, ...calls];
}

function stopReasonOf({ toolCalls }: Answer): string {
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn';
}

function composeEvents(answer: Answer, model: string): ServerEvent[] {
  const started = { input_tokens: usage.inputTokens, output_tokens: 1 };
  const events = [
    {
      type: 'message_start',
      message: { ...composeMessage(answer, model), content: [], stop_reason: null, usage: started },
    },
    ...composeBlocks(answer).flatMap(composeBlockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReasonOf(answer), stop_sequence: null },
      usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
    },
    { type: 'message_stop' },
  ];
  return events.map((data) => ({ event: data.type, data }));
}

function composeBlockEvents(block: AnswerBlock, index: number) {
  const isText = block.type === 'text';
  const delta = isText
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
  return [
    { type: 'content_block_start', index, content_block: isText ? { ...block, text: '' } : { ...block, input: {} } },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
}

function composeFailure({ status, error }: ModelFailure) {
  const type = error?.type ?? ERROR_TYPES[status] ?? 'api_error';
  return { type: 'error', error: { type, message: error?.message ?? type }, request_id: 'req_stub' };
}
