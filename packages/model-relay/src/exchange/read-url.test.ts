import { expect, it } from 'vitest';
import { readUrl } from './read-url.ts';

it('takes the agent, the path and the query apart', () => {
  expect(readUrl('/agt_a/v1/messages?beta=true&x=a?b')).toEqual({
    ...{ agentId: 'agt_a', path: '/v1/messages', search: '?beta=true&x=a?b' },
  });
  expect(readUrl('/agt_a')).toEqual({ agentId: 'agt_a', path: '', search: '' });
  expect(readUrl('/')).toEqual({ agentId: '', path: '', search: '' });
});

it.each([
  ...[
    'http://api.anthropic.com/v1/messages',
    'api.anthropic.com:443',
    '*',
    '',
    '//host/v1/messages',
    '/agt_a//v1/messages',
  ],
  ...['/agt_a/../agt_b/v1/messages', '/agt_a/v1/./messages', '/agt_a/v1/..', '/agt_a/%2e%2e/x', '/agt_a/v1%2Fmessages'],
  ...['/agt_a/v1%5cmessages', '/agt_a/v1\\messages', '/agt_a/v1/messages#x', '/agt_a/v1/mess ages', '/agt_a/%00'],
])('takes no URL that two readers could read in two ways: %s', (url) => {
  expect(readUrl(url)).toBeUndefined();
});
