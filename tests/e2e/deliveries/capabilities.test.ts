// hosted: long – the gate is a pure function of rows that are the same on both stacks
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import type { Place } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['other'] });
  // The program of the profile `stranger` is asked once, in the background.
  await vi.waitFor(async () => {
    const { body } = await stack.api.call('GET', '/capabilities?profile=stranger');
    expect(body).toMatchObject({ capability: { image: { transport: 'yes' } } });
  }, 60_000);
});
afterAll(() => stack.stop());

async function showPicture(model = 'mystery-1'): Promise<Place & { draft: object }> {
  const place = await stack.api.createSession({ profile: 'stranger', model });
  const { attachment } = await stack.api.upload(place.session.id, makePng(31, 21));
  await stack.api.inspected(attachment.id);
  return { ...place, draft: { to: [place.agent.id], text: 'look', attachmentIds: [attachment.id] } };
}
const send = ({ session }: Place, body: object, credential = stack.api.apiKey) =>
  stack.api.call('POST', `/sessions/${session.id}/messages`, { body, credential });
const settle = async (body: Record<string, unknown>) =>
  stack.api.settled((body.deliveries as { id: string }[])[0]?.id ?? '');

describe('what a model takes', () => {
  it('is told with evidence and the version of the catalog [BX-05 DL-19 DL-100]', async () => {
    const read = (query: string) => stack.api.call('GET', `/capabilities?${query}`);
    expect(await read('profile=example&model=example-omni')).toMatchObject({
      status: 200,
      body: {
        target: { profile: 'example', runtime: 'acp', provider: 'example', model: 'example-omni' },
        capability: {
          document: {
            transport: 'yes',
            model: 'yes',
            evidence: { transport: { source: 'static', date: expect.any(String) } },
          },
          catalogVersion: expect.stringMatching(/^\d{4}-/),
        },
      },
    });
    expect((await read('profile=stranger')).body).toMatchObject({
      capability: { image: { transport: 'yes', model: 'unknown' }, evidence: { source: 'live-probe' } },
    });
    expect(await read('profile=nobody')).toMatchObject({ status: 422, body: { code: 'TARGET_UNKNOWN' } });
    expect(await read('profile=example&model=%00')).toMatchObject({ status: 422 });
    expect(await read('')).toMatchObject({ status: 400 });
  });
});

describe('an unknown ability', () => {
  it('blocks, naming the model, until someone who may says otherwise for one message, and that is logged [DL-66 DL-50]', async () => {
    const place = await showPicture();
    const blocked = await send(place, place.draft);
    expect(blocked).toMatchObject({
      status: 422,
      body: { failures: [{ code: 'attachment_model_vision_unknown', model: 'mystery-1' }] },
    });
    const sent = await send(place, { ...place.draft, overrideUnknown: true });
    expect(sent.status).toBe(202);
    const delivery = await settle(sent.body);
    expect(delivery).toMatchObject({
      status: 'responded',
      plan: {
        items: [
          { becomes: 'native', checks: { model: 'unknown' }, warnings: [{ code: 'unknown_runtime_capability' }] },
        ],
      },
      receipt: { items: [{ verdict: 'unknown' }] },
    });
    const events = await stack.api.events(place.session.id);
    const [overridden] = events.filter(({ kind }) => kind === 'capability.overridden');
    expect(overridden).toMatchObject({
      actor: { type: 'key' },
      data: { messageId: delivery.messageId, targets: [{ agentId: place.agent.id, model: 'mystery-1' }] },
    });
    expect((await send(place, place.draft)).status).toBe(422);
  });

  it('is not for everyone to override: it needs a right of its own [DL-66]', async () => {
    const place = await showPicture();
    const { body } = await stack.api.call('POST', '/keys', { body: { name: 'sender', scopes: ['sessions'] } });
    const secret = body.secret as string;
    expect(await send(place, { ...place.draft, overrideUnknown: true }, secret)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    const put = stack.api.call('PUT', '/capability-overrides/stranger/mystery-1', {
      body: { capability: { image: true }, reason: 'x' },
      credential: secret,
    });
    expect((await put).status).toBe(403);
  });
});

describe('the word of a tenant on a model', () => {
  const path = '/capability-overrides/stranger/mystery%2F2';
  const say = (body: object, api = stack.api) => api.call('PUT', path, { body });

  it('holds for its sessions and for no one else, with author and reason, until it is taken back [BX-05 DL-66]', async () => {
    const place = await showPicture('mystery/2');
    expect((await send(place, place.draft)).status).toBe(422);
    const said = await say({ capability: { image: true, limits: { maxImages: 3 } }, reason: 'we measured it' });
    expect(said).toMatchObject({
      status: 200,
      body: {
        override: { profile: 'stranger', model: 'mystery/2', reason: 'we measured it', author: { type: 'key' } },
      },
    });
    const read = (api = stack.api) => api.call('GET', '/capabilities?profile=stranger&model=mystery/2');
    expect((await read()).body).toMatchObject({
      capability: {
        image: { model: 'yes', maxCount: 3 },
        evidence: { source: 'tenant-override', note: 'we measured it' },
      },
    });
    expect((await read(stack.apiOf('other'))).body).toMatchObject({ capability: { image: { model: 'unknown' } } });
    const sent = await send(place, place.draft);
    expect(await settle(sent.body)).toMatchObject({
      status: 'responded',
      plan: { items: [{ checks: { model: 'yes' } }] },
    });
    expect((await stack.api.call('DELETE', path)).status).toBe(204);
    expect((await stack.api.call('DELETE', path)).status).toBe(204);
    expect((await send(place, place.draft)).status).toBe(422);
    const { body } = await stack.api.call('GET', '/audit?limit=20');
    const actions = (body.items as { action: string; data: object }[]).filter(({ action }) =>
      action.startsWith('capability.'),
    );
    expect(actions.map(({ action }) => action)).toEqual(['capability.restored', 'capability.overridden']);
    expect(actions[1]?.data).toMatchObject({ model: 'mystery/2', image: true, maxImages: 3 });
  });

  it.each([
    ['says nothing', 'stranger/mystery-1', { capability: {}, reason: 'x' }, 400],
    ['has no reason', 'stranger/mystery-1', { capability: { image: true }, reason: ' ' }, 400],
    ['says what is known not to be carried', 'stranger/mystery-1', { capability: { video: true }, reason: 'x' }, 400],
    [
      'says what a model is known not to take',
      'example/example-text',
      { capability: { image: true }, reason: 'x' },
      400,
    ],
    [
      'contradicts itself',
      'stranger/mystery-1',
      { capability: { image: false, limits: { maxImages: 2 } }, reason: 'x' },
      400,
    ],
    ['has a kind that there is not', 'stranger/mystery-1', { capability: { smell: true }, reason: 'x' }, 400],
    ['names an unknown profile', 'nobody/m', { capability: { image: true }, reason: 'x' }, 422],
    ['names a malformed model', 'stranger/%20', { capability: { image: true }, reason: 'x' }, 422],
  ])('is refused where it %s [BX-05 DL-12]', async (_, place, body, status) => {
    const answer = await stack.api.call('PUT', `/capability-overrides/${place}`, { body });
    expect([answer.status, answer.body.code]).toEqual([status, status === 400 ? 'INVALID_REQUEST' : 'TARGET_UNKNOWN']);
    expect(answer.body.detail?.length).toBeGreaterThan(15);
  });
});
