import { describe, expect, it } from 'vitest';
import { paths, post, readAnswer, startStubForTest } from './ask-stub.ts';

const say = (text: string) => ({ model: 'm', messages: [{ role: 'user', content: text }] });

describe('a script', () => {
  it('answers each request with its index, and counts again when it is replaced', async () => {
    const stub = await startStubForTest();
    const ask = async (text: string) =>
      (await readAnswer(await post(stub, paths['openai-chat'], say(text)))).choices[0];
    expect(await ask('first')).toMatchObject({ message: { content: 'I see 0 attachments' }, finish_reason: 'stop' });
    stub.script(({ lastUserText }, index) => ({ text: `${index} ${lastUserText}` }));
    expect((await ask('a'))?.message.content).toBe('0 a');
    expect((await ask('b'))?.message.content).toBe('1 b');
    stub.script((_request, index) => ({ text: `again ${index}` }));
    expect((await ask('c'))?.message.content).toBe('again 0');
    expect(stub.requests.map(({ lastUserText }) => lastUserText)).toEqual(['first', 'a', 'b', 'c']);
  });

  it('that throws is told to the client', async () => {
    const stub = await startStubForTest();
    stub.script(() => {
      throw new Error('not in the plan');
    });
    const response = await post(stub, paths.anthropic, say('x'));
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('not in the plan')]);
  });

  it('can cut the connection', async () => {
    const stub = await startStubForTest();
    stub.script(() => ({ reset: true }));
    await expect(post(stub, paths.anthropic, say('x'))).rejects.toThrow('fetch failed');
  });

  it('can leave a request without an answer, and the stub still stops', async () => {
    const stub = await startStubForTest();
    const asked = new Promise<void>((resolve) => {
      stub.script(() => {
        resolve();
        return { hang: true };
      });
    });
    const hanging = expect(post(stub, paths.anthropic, say('x'))).rejects.toThrow('fetch failed');
    await asked;
    await stub.stop();
    await hanging;
  });
});

describe('a failure', () => {
  it.each([
    ['anthropic', 400, { type: 'error', error: { type: 'invalid_request_error', message: 'no' } }],
    ['anthropic', 413, { error: { type: 'request_too_large' } }],
    ['anthropic', 529, { error: { type: 'overloaded_error' } }],
    ['openai-responses', 401, { error: { type: 'invalid_request_error', code: 'invalid_api_key', message: 'no' } }],
    ['openai-chat', 429, { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } }],
    ['openai-chat', 503, { error: { type: 'server_error' } }],
    ['google', 400, { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'no' } }],
    ['google', 429, { error: { status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '7s' }] } }],
  ] as const)('of %s with status %i has the shape of that API', async (api, status, expected) => {
    const stub = await startStubForTest();
    stub.script(() => ({ status, error: { message: 'no' }, ...(status === 429 && { retryAfterSeconds: 7 }) }));
    const response = await post(stub, paths[api], say('x'));
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe(status === 429 ? '7' : null);
    expect(await response.json()).toMatchObject(expected);
  });

  it('has the type that the script says', async () => {
    const stub = await startStubForTest();
    stub.script(() => ({ status: 403, error: { type: 'of_its_own', message: 'no' } }));
    const response = await post(stub, paths.anthropic, say('x'));
    expect(await response.json()).toMatchObject({ error: { type: 'of_its_own' } });
  });

  it('is what a body gets that is larger than any API takes', async () => {
    const stub = await startStubForTest();
    const response = await fetch(`${stub.url}${paths.anthropic}`, { method: 'POST', body: Buffer.alloc(2 ** 27 + 1) });
    expect([response.status, await response.json()]).toMatchObject([413, { error: { type: 'request_too_large' } }]);
    expect(stub.requests).toEqual([]);
  });
});

describe('what is no request to a model', () => {
  it.each(['/', '/v1/models', '/api/hello'])('gets a harmless answer at %s', async (path) => {
    const stub = await startStubForTest();
    const response = await fetch(`${stub.url}${path}`);
    expect([response.status, await response.json()]).toMatchObject([200, { data: [], models: [] }]);
    expect(stub.requests).toEqual([]);
  });
});
