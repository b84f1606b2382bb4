import type { ModelApi } from '../relay-types.ts';

/** The header in which an API takes its key, with its value. */
export function nameKeyHeader(api: ModelApi, key: string): [string, string] {
  // Node takes a header as one byte a character, and throws for what is more.
  const bytes = Buffer.from(key, 'utf8').toString('latin1');
  switch (api) {
    case 'anthropic':
      return ['x-api-key', bytes];
    case 'google':
      return ['x-goog-api-key', bytes];
    case 'openai-responses':
    case 'openai-chat':
      return ['authorization', `Bearer ${bytes}`];
    default:
      return api satisfies never;
  }
}
