import { givenSpec } from '@attache/agent-process/given-spec';
import type { Answer } from '@attache/agent-process/json-rpc/exchange';
import { expect, it } from 'vitest';
import { openSession } from './open-session.ts';

it('signs in where its program asks for that, also before an earlier session is loaded [DL-82]', async () => {
  const asked: string[] = [];
  const results: Record<string, object> = {
    initialize: { protocolVersion: 1, agentCapabilities: { loadSession: true }, authMethods: [{ id: 'api-key' }] },
    authenticate: {},
    'session/load': {},
  };
  const ask = async (method: string): Promise<Answer> => {
    const isSignedIn = asked.includes('authenticate');
    asked.push(method);
    if (method.startsWith('session/') && !isSignedIn)
      return { status: 'error', code: -32000, message: 'sign in', data: undefined };
    return { status: 'result', result: results[method] };
  };
  const opened = await openSession({
    connection: { ask },
    client: { name: 'test', version: '0' },
    spec: givenSpec({ resumeReference: 'earlier' }),
    authMethod: 'api-key',
    isLoadable: true,
    metaOf: () => undefined,
  });
  expect(opened).toMatchObject({ status: 'opened', sessionId: 'earlier', isResumed: true });
  expect(asked).toEqual(['initialize', 'session/load', 'authenticate', 'session/load']);
});
