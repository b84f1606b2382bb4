import { givenSpec } from '@attache/agent-process/given-spec';
import type { Answer } from '@attache/agent-process/json-rpc/exchange';
import { expect, it } from 'vitest';
import { openSession } from './open-session.ts';

it('signs in where its program asks for that, also before an earlier session is loaded', async () => {
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

const missing: Answer = { status: 'error', code: -32002, message: 'not found', data: undefined };
const resume = { sessionCapabilities: { resume: {} } };

it.each([
  ['resumed', { ...resume, loadSession: true }, {}, ['session/resume']],
  [
    'loaded where it cannot be resumed',
    { ...resume, loadSession: true },
    { 'session/resume': missing },
    ['session/resume', 'session/load'],
  ],
  [
    'loaded where nothing else is offered',
    { loadSession: true, sessionCapabilities: { resume: null } },
    {},
    ['session/load'],
  ],
  ['resumed where nothing else is offered', resume, {}, ['session/resume']],
  ['begun again where it is not found', resume, { 'session/resume': missing }, ['session/resume', 'session/new']],
  ['begun again where there is no way back', {}, {}, ['session/new']],
] as const)('an earlier session is %s [BX-26]', async (_, agentCapabilities, answers, expected) => {
  const asked: string[] = [];
  const results: Record<string, object> = {
    initialize: { protocolVersion: 1, agentCapabilities },
    'session/new': { sessionId: 'new' },
  };
  const ask = async (method: string): Promise<Answer> => {
    asked.push(method);
    return (answers as Record<string, Answer>)[method] ?? { status: 'result', result: results[method] ?? {} };
  };
  const opened = await openSession({
    connection: { ask },
    ...{ client: { name: 'test', version: '0' }, spec: givenSpec({ resumeReference: 'earlier' }) },
    ...{ authMethod: undefined, isLoadable: true, metaOf: () => undefined },
  });
  const isNew = expected.at(-1) === 'session/new';
  expect(asked).toEqual(['initialize', ...expected]);
  expect(opened).toMatchObject({ sessionId: isNew ? 'new' : 'earlier', isResumed: !isNew });
  expect(opened).toMatchObject({ isLoadable: Object.keys(agentCapabilities).length > 0 });
});
