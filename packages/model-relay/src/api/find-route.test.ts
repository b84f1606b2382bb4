import { describe, expect, it } from 'vitest';
import { findRoute, guessApi, readRoot } from './find-route.ts';

const find = (api: Parameters<typeof findRoute>[0], method: string, url: string) => {
  const [path = '', search = ''] = url.split('?');
  const route = findRoute(api, { method, path, query: new URLSearchParams(search) });
  return route.status === 'found' ? [route.kind, route.model] : route.status;
};

describe('a path of an API', () => {
  it.each([
    ['anthropic', 'POST', '/v1/messages', ['generate', undefined]],
    ['anthropic', 'POST', '/v1/messages?beta=true', ['generate', undefined]],
    ['anthropic', 'POST', '/messages', ['generate', undefined]],
    ['anthropic', 'POST', '/v1/messages/count_tokens?beta=true', ['count-tokens', undefined]],
    ['anthropic', 'GET', '/v1/models?limit=1000', ['models', undefined]],
    ['openai-responses', 'POST', '/v1/responses', ['generate', undefined]],
    ['openai-responses', 'POST', '/responses/compact', ['generate', undefined]],
    ['openai-responses', 'POST', '/v1/responses/input_tokens', ['count-tokens', undefined]],
    ['openai-responses', 'GET', '/v1/models?client_version=0.9.1', ['models', undefined]],
    ['openai-chat', 'POST', '/v1/chat/completions', ['generate', undefined]],
    ['google', 'POST', '/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse', ['generate', 'gemini-3-pro']],
    ['google', 'POST', '/v1/models/g:generateContent', ['generate', 'g']],
    ['google', 'POST', '/v1beta/models/g:countTokens', ['count-tokens', 'g']],
    ['google', 'GET', '/v1beta/models?pageSize=50', ['models', undefined]],
    ['google', 'GET', '/v1beta/models/g', ['models', undefined]],
  ] as const)('%s %s %s', (api, method, url, found) => {
    expect(find(api, method, url)).toEqual(found);
  });

  it.each([
    ['anthropic', 'POST', '/v1/v1/messages'],
    ['anthropic', 'POST', '/v1beta/messages'],
    ['anthropic', 'POST', '/v1/messages/batches'],
    ['anthropic', 'POST', '/v1/messages/'],
    ['anthropic', 'POST', '/v1/messages?beta=false'],
    ['anthropic', 'POST', '/v1/messages?beta=true&beta=true'],
    ['anthropic', 'POST', '/v1/messages?toString=1'],
    ['anthropic', 'GET', '/v1/files'],
    ['anthropic', 'HEAD', '/api/hello'],
    ['anthropic', 'HEAD', '/v1/models'],
    ['openai-responses', 'GET', '/v1/responses/resp_1'],
    ['openai-responses', 'POST', '/v1/chat/completions'],
    ['openai-chat', 'POST', '/v1/embeddings'],
    ['google', 'POST', '/v1beta/models/g:generateContent?alt=xml'],
    ['google', 'POST', '/v1beta/models/g:batchEmbedContents'],
    ['google', 'POST', '/v1beta/models/a/b:generateContent'],
    ['google', 'POST', '/upload/v1beta/files'],
  ] as const)('unknown: %s %s %s', (api, method, url) => {
    expect(find(api, method, url)).toBe('unknown');
  });

  it('takes its own method alone', () => {
    expect(find('anthropic', 'GET', '/v1/messages')).toBe('wrong-method');
    expect(find('google', 'DELETE', '/v1beta/models')).toBe('wrong-method');
  });
});

it.each([
  ['anthropic', '/', ''],
  ['anthropic', '/v1/', ''],
  ['openai-chat', '/api/v1', '/api'],
  ['google', '/v1beta', ''],
  ['openai-chat', '/proxy/', '/proxy'],
  ['openai-chat', '/proxyv1', '/proxyv1'],
] as const)('the root of an endpoint of %s at %s is "%s"', (api, path, root) => {
  expect(readRoot(api, path)).toBe(root);
});

it('an unknown caller is answered in the shape of the API that its path looks like', () => {
  expect(guessApi('/agt_x/v1/messages')).toBe('anthropic');
  expect(guessApi('/agt_x/v1/responses')).toBe('openai-responses');
  expect(guessApi('/agt_x/v1/chat/completions')).toBe('openai-chat');
  expect(guessApi('/agt_x/v1beta/models')).toBe('google');
});
