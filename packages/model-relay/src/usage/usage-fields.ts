import type { ModelApi } from '../relay-types.ts';

/** The places of numbers in a response: the keys on the way and, at its end, the count that the number is. */
export type Wanted = { readonly [key: string]: Wanted | CountName };

/** The counts of one response. `cached` and `written` come on top of `input` if the API counts them apart; otherwise `cached` is part of it. `begun`: the output so far, before there is any. */
export type CountName = 'input' | 'written' | 'cached' | 'toolInput' | 'begun' | 'output' | 'thought';

const anthropic: Wanted = {
  input_tokens: 'input',
  cache_creation_input_tokens: 'written',
  cache_read_input_tokens: 'cached',
  output_tokens: 'output',
};
const responses: Wanted = {
  input_tokens: 'input',
  input_tokens_details: { cached_tokens: 'cached' },
  output_tokens: 'output',
};

/** An answer in one piece has them at its top. Of a stream each later figure takes the place of the one before: they are sums so far. */
export const usageFields: Readonly<Record<ModelApi, Wanted>> = {
  anthropic: { message: { usage: { ...anthropic, output_tokens: 'begun' } }, usage: anthropic },
  'openai-responses': { response: { usage: responses }, usage: responses },
  'openai-chat': {
    usage: {
      prompt_tokens: 'input',
      prompt_tokens_details: { cached_tokens: 'cached' },
      completion_tokens: 'output',
    },
  },
  google: {
    usageMetadata: {
      promptTokenCount: 'input',
      cachedContentTokenCount: 'cached',
      // Content that the provider's own tools gave the model to read.
      toolUsePromptTokenCount: 'toolInput',
      candidatesTokenCount: 'output',
      thoughtsTokenCount: 'thought',
    },
  },
};

/** Every response with counts contains one of these: letters of a key on each of these ways, or an escape that may spell one of them. */
export const usageMarks: readonly Buffer[] = ['usage', String.raw`\u`].map((mark) => Buffer.from(mark));
