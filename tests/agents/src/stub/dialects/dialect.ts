import type { Conversation } from '../conversation.ts';

export type ModelApi = 'anthropic' | 'openai-responses' | 'openai-chat' | 'google';

export type ToolCall = { id: string; name: string; input: unknown };

/** The model's output in one turn. No other answer has its id: a CLI takes answers of one id for parts of one message. */
export type Answer = { id: string; text: string | undefined; toolCalls: readonly ToolCall[] };

export type ModelFailure = {
  status: number;
  /** `named`: the place of the fault in the request, as this API spells it in a field of its own. */
  error?: { type?: string; message: string; code?: string; named?: string };
  retryAfterSeconds?: number;
};

/** One server-sent event; text goes out as it is, everything else as JSON. */
export type ServerEvent = { event?: string; data: unknown };

/** How one model API puts requests, answers and failures. */
export type Dialect = {
  api: ModelApi;
  readConversation(path: string, body: unknown): Conversation;
  composeAnswer(answer: Answer, conversation: Conversation): unknown;
  composeEvents(answer: Answer, conversation: Conversation): ServerEvent[];
  composeTokenCount(): unknown;
  composeFailure(failure: ModelFailure): unknown;
};

/** The same small figures in every answer: a large count would make a CLI shorten its history. */
export const usage = { inputTokens: 100, outputTokens: 10 } as const;
