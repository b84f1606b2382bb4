import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { passAnswerHeaders, passRequestHeaders } from './pass-headers.ts';

const message = (connection: string, ...rawHeaders: string[]) =>
  ({ headers: { connection }, rawHeaders: ['Connection', connection, ...rawHeaders] }) as unknown as IncomingMessage;

it('passes what the program says, its key and what belongs to its connection aside [BX-24]', () => {
  const incoming = message(
    'keep-alive, X-Own, Content-Length',
    ...[
      'Host',
      '127.0.0.1:1',
      'X-Own',
      '1',
      'x-API-key',
      'atr_x',
      'Authorization',
      'Bearer atr_x',
      'Anthropic-Beta',
      'a',
    ],
    ...[
      'anthropic-beta',
      'b',
      'Accept-Encoding',
      'gzip',
      'TE',
      'trailers',
      'Transfer-Encoding',
      'chunked',
      'Expect',
      '100-continue',
    ],
    ...['Content-Type', 'text/plain; charset=utf-7', 'X-Anything', 'b', 'Openai-Beta-2', 'c', 'Traceparent', '00-1'],
    ...['Content-Length', '5', 'X-Goog-Api-Key', 'atr_x', 'Proxy-Authorization', 'x', 'Upgrade', 'h2c'],
  );
  const passed = ['Anthropic-Beta', 'a', 'anthropic-beta', 'b', 'Content-Length', '5'];
  const shared = ['Host', 'api.example', ...passed, 'Content-Type', 'application/json'];
  const options = { host: 'api.example', api: 'anthropic' } as const;
  expect(passRequestHeaders(incoming, { ...options, key: 'k' })).toEqual([
    ...[...shared, 'Accept-Encoding', 'identity', 'x-api-key', 'k'],
  ]);
  expect(passRequestHeaders(incoming, { ...options, key: undefined })).toEqual([
    ...[...shared, 'Accept-Encoding', 'identity'],
  ]);
  expect(passRequestHeaders(incoming, { ...options, api: 'google', key: 'k' }).slice(-2)).toEqual([
    'x-goog-api-key',
    'k',
  ]);
  expect(passRequestHeaders(incoming, { ...options, api: 'openai-chat', key: 'k' }).slice(-2)).toEqual([
    ...['authorization', 'Bearer k'],
  ]);
});

it('passes what the provider says, its cookies and what belongs to its connection aside', () => {
  const answer = message(
    'close, x-own',
    'X-Own',
    '1',
    'X-A',
    'a',
    'X-A',
    'b',
    'Set-Cookie',
    'c',
    'Keep-Alive',
    'timeout=5',
  );
  expect(passAnswerHeaders(answer)).toEqual(['X-A', 'a', 'X-A', 'b']);
});
