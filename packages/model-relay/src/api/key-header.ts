import type { ModelApi } from '../relay-types.ts';

/** Headers in which programs send what they take for their key. None of them reaches a provider. */
export const keyHeaders: readonly string[] = ['x-api-key', 'x-goog-api-key', 'authorization', 'api-key'];

/** The header by which an API takes its key, with its value. */
export function nameKeyHeader(api: ModelApi, key: string): [string, string] {
  switch (api) {
    case 'anthropic':
      return ['x-api-key', key];
    case 'google':
      return ['x-goog-api-key', key];
    case 'openai-responses':
    case 'openai-chat':
      return ['authorization', `Bearer ${key}`];
    default:
      return api satisfies never;
  }
}
