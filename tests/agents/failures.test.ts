import type { FailureCode, Session } from '@attache/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentsStack, listInstalled, openAgentsStack } from './src/agents-stack.ts';
import { makeSamples } from './src/files.ts';
import type { ModelReply } from './src/stub/model-stub.ts';
import { converse, openPlace, type Place, takeTurn, uploadSample } from './src/take-turn.ts';

const runtimes = await listInstalled(process.env);
const [png] = await makeSamples();
if (png === undefined) throw new Error('there is no picture');
let stack: AgentsStack;
beforeAll(async () => {
  stack = await openAgentsStack(runtimes, { turnMs: 40_000 });
});
afterAll(() => stack?.stop());

const refuse = (status: number): ModelReply => ({
  status,
  error: { message: 'the picture is refused', type: status === 400 ? 'invalid_request_error' : 'api_error' },
  retryAfterSeconds: 1,
});

const rejected: FailureCode = 'attachment_provider_rejected';
const signIn: FailureCode = 'delivery_agent_auth_required';
const quota: FailureCode = 'attachment_provider_quota_exceeded';
const unreached: FailureCode = 'delivery_runtime_transport_failed';

/** What each program tells of its provider's refusals, as a code. Some tell no status: then no more than that it failed is said. */
const expected: Record<string, Record<number, FailureCode>> = {
  claude: { 400: rejected, 401: signIn, 413: rejected, 429: quota, 529: unreached },
  codex: { 400: rejected, 401: signIn, 413: rejected, 429: quota, 529: unreached },
  // With a conversation before it, it first tries to make that smaller, and tells how that failed.
  'claude-acp': { 400: unreached, 401: signIn, 413: unreached, 429: quota, 529: unreached },
  'codex-acp': { 400: rejected, 401: signIn, 413: unreached, 429: quota, 529: unreached },
  gemini: { 400: rejected, 401: signIn, 413: rejected, 429: quota, 529: unreached },
  // After 413 it makes its conversation smaller and asks again, without end: the turn's time ends that.
  opencode: { 400: unreached, 401: unreached, 429: unreached, 529: unreached },
};

describe.each(runtimes)('a provider’s refusal, by $key', (runtime) => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace(stack.api, runtime.key, runtime.model);
  });
  const cases = Object.entries(expected[runtime.key] ?? {}).map(([status, code]) => ({ status: Number(status), code }));

  it.each(cases)(
    'with status $status is $code, and the session goes on [DL-05 DL-38 DL-57 DL-60 DL-84]',
    async ({ status, code }) => {
      const file = await uploadSample(stack.api, place, png);
      stack.stub.script(() => refuse(status));
      const sent = await takeTurn(stack.api, place, 'Look.', [file.id]);
      expect(sent).toMatchObject({ delivery: { status: 'failed', failure: { code } } });
      stack.stub.script(() => ({ text: 'fine' }));
      await converse(stack.api, place, 'And now?');
    },
  );

  it('was no crash: all of it was one process, and no state of the agent tells of a file [DL-05 DL-60]', async () => {
    const events = await stack.api.events(place.session.id);
    expect(events.filter(({ kind }) => kind === 'agent.started')).toHaveLength(1);
    expect(events.filter(({ kind }) => kind === 'agent.stopped')).toEqual([]);
    const { body } = await stack.api.call<{ session: Session }>('GET', `/sessions/${place.session.id}`);
    expect(body.session.agents).toMatchObject([{ status: 'idle' }]);
    expect(JSON.stringify(body.session.agents)).not.toContain('attachment');
  });
});

it.runIf(runtimes.some(({ key }) => key === 'claude'))(
  'a picture that Claude Code takes out of the conversation is refused in the receipt, and the log says so [DL-09 DL-36 DL-58 BX-03 SR-20]',
  async () => {
    const message = 'messages.0.content.1.image.source.base64: Could not process image';
    stack.stub.script(({ attachments }) =>
      attachments.length > 0
        ? { status: 400, error: { type: 'invalid_request_error', message } }
        : { text: 'Nothing.' },
    );
    const place = await openPlace(stack.api, 'claude', 'claude-sonnet-5');
    const file = await uploadSample(stack.api, place, png);
    const sent = await takeTurn(stack.api, place, 'Look.', [file.id]);
    expect(sent).toMatchObject({ delivery: { status: 'responded', receipt: { items: [{ verdict: 'refused' }] } } });
    const responded = (await stack.api.events(place.session.id)).find(({ kind }) => kind === 'delivery.responded');
    expect(responded?.data.diagnostic).toMatchObject({ code: 'attachment_provider_rejected', severity: 'warning' });
  },
);

const forgetting = runtimes.filter(({ key }) => ['claude', 'claude-acp', 'codex', 'gemini'].includes(key));
describe.each(forgetting)('after a refused picture, $key', (runtime) => {
  it('does not send it again: it cannot make every later turn fail [BX-01]', async () => {
    const message = 'messages.0.content.1.image.source.base64: Could not process image';
    stack.stub.script(({ attachments }) =>
      attachments.length > 0 ? { status: 400, error: { type: 'invalid_request_error', message } } : { text: 'fine' },
    );
    const place = await openPlace(stack.api, runtime.key, runtime.model);
    const file = await uploadSample(stack.api, place, png);
    await takeTurn(stack.api, place, 'Look.', [file.id]);
    await converse(stack.api, place, 'And without it?');
    await converse(stack.api, place, 'And once more?');
  });
});
