import { type Answer, type Dialect, type ModelFailure, usage } from './dialect.ts';
import { readGoogle } from './read-google.ts';

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

export const googleDialect: Dialect = {
  api: 'google',
  readConversation: readGoogle,
  composeAnswer: (answer, { model }) => composeResponse(answer, model),
  composeEvents: (answer, { model }) => [{ data: composeResponse(answer, model) }],
  composeTokenCount: () => ({ totalTokens: usage.inputTokens }),
  composeFailure,
};

function composeResponse({ id: responseId, text, toolCalls }: Answer, model: string) {
  const calls = toolCalls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }));
  const parts = [...(text === undefined ? [] : [{ text }]), ...calls];
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: usage.inputTokens,
      candidatesTokenCount: usage.outputTokens,
      totalTokenCount: usage.inputTokens + usage.outputTokens,
    },
    modelVersion: model,
    responseId,
  };
}

function composeFailure({ status, error, retryAfterSeconds }: ModelFailure) {
  const name = error?.type ?? STATUS_NAMES[status] ?? 'INTERNAL';
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` };
  const fieldViolations = [{ field: error?.named, description: error?.message }];
  const badRequest = { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations };
  const details = [
    ...(retryAfterSeconds === undefined ? [] : [retry]),
    ...(error?.named === undefined ? [] : [badRequest]),
  ];
  const told = details.length === 0 ? {} : { details };
  return { error: { code: status, message: error?.message ?? name, status: name, ...told } };
}
