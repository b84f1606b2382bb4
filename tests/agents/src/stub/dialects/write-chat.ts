import { type Answer, type Dialect, type ServerEvent, usage } from './dialect.ts';
import { composeOpenAiFailure } from './openai-failure.ts';
import { readChat } from './read-chat.ts';

export const chatDialect: Dialect = {
  api: 'openai-chat',
  readConversation: readChat,
  composeAnswer: (answer, { model }) => ({
    ...composeHead(answer, model, 'chat.completion'),
    choices: [{ index: 0, message: composeMessage(answer), finish_reason: finishReasonOf(answer) }],
    usage: figures,
  }),
  composeEvents: (answer, { model }) => composeEvents(answer, model),
  composeTokenCount: () => figures,
  composeFailure: composeOpenAiFailure,
};

const figures = {
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
};

function composeHead({ id }: Answer, model: string, object: string) {
  return { id: `chatcmpl-${id}`, object, created: 0, model };
}

function composeMessage({ text, toolCalls }: Answer) {
  const calls = composeCalls(toolCalls);
  return { role: 'assistant', content: text ?? null, ...(calls.length > 0 && { tool_calls: calls }) };
}

function composeCalls(toolCalls: Answer['toolCalls']) {
  return toolCalls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
}

function finishReasonOf({ toolCalls }: Answer): string {
  return toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

function composeEvents(answer: Answer, model: string): ServerEvent[] {
  const calls = composeCalls(answer.toolCalls).map((call, index) => ({ index, ...call }));
  const deltas = [
    { role: 'assistant', content: '' },
    ...(answer.text === undefined ? [] : [{ content: answer.text }]),
    ...calls.map((call) => ({ tool_calls: [call] })),
  ];
  const head = composeHead(answer, model, 'chat.completion.chunk');
  const chunks = [
    ...deltas.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: finishReasonOf(answer) }] },
    { ...head, choices: [], usage: figures },
  ];
  return [...chunks.map((data) => ({ data })), { data: '[DONE]' }];
}
