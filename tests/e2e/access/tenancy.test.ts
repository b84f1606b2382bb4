// hosted: every – row-level security is that of Postgres
import { type Grant, type NewApiKey, type RouteName, routes } from '@attache/contracts';
import { type Answer, type Api, makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { type Place, takeTurn } from '../steps/turns.ts';
import { waitForPreview } from '../steps/wait-for-preview.ts';

type Ids = {
  sessionId: string;
  agentId: string;
  attachmentId: string;
  deliveryId: string;
  messageId: string;
  keyId: string;
  grantId: string;
};

let stack: Stack;
let stranger: Api;
let theirs: Place;
let mine: Ids;

beforeAll(async () => {
  stack = await openStack({ tenants: ['stranger'] });
  stranger = stack.apiOf('stranger');
  theirs = await stranger.createSession();
  const place = await stack.api.createSession();
  const { attachment } = await stack.api.upload(place.session.id, makePng(30, 20));
  const { delivery } = await takeTurn(stack.api, place, 'look', [attachment.id]);
  const request = { body: { name: 'mine', scopes: ['read'] } };
  const { body: made } = await stack.api.call<NewApiKey>('POST', '/keys', request);
  const [sessionId, agentId] = [place.session.id, place.agent.id];
  const asked = { attachmentId: attachment.id, agentId, rights: ['read'] };
  const granted = await stack.api.call<{ grant: Grant }>('POST', `/sessions/${sessionId}/grants`, { body: asked });
  mine = {
    ...{ sessionId, agentId, attachmentId: attachment.id, deliveryId: delivery.id },
    ...{ messageId: delivery.messageId, keyId: made.key.id, grantId: granted.body.grant.id },
  };
});
afterAll(() => stack.stop());

const nobodys: Ids = {
  sessionId: 'ses_AAAAAAAAAAAAAAAAAAAAAA',
  agentId: 'agt_AAAAAAAAAAAAAAAAAAAAAA',
  attachmentId: 'att_AAAAAAAAAAAAAAAAAAAAAA',
  deliveryId: 'dlv_AAAAAAAAAAAAAAAAAAAAAA',
  messageId: 'msg_AAAAAAAAAAAAAAAAAAAAAA',
  keyId: 'key_AAAAAAAAAAAAAAAAAAAAAA',
  grantId: 'grt_AAAAAAAAAAAAAAAAAAAAAA',
};
const malformed: Ids = {
  sessionId: 'ses_x',
  agentId: 'agt_x',
  attachmentId: 'att_x',
  deliveryId: 'dlv_x',
  messageId: 'msg_x',
  keyId: 'key_x',
  grantId: 'grt_x',
};

const target = { profile: 'example', model: 'example-vision' };

/** Bodies that would be accepted in a session and for things of the caller's own. */
const bodies: Partial<Record<RouteName, () => object>> = {
  createToken: () => ({ externalUserId: 'eve', rights: ['attachments:read'], ttlSeconds: 60 }),
  addAgent: () => ({ name: 'intruder', role: 'member', target }),
  changeAttachment: () => ({ encoding: 'utf-8' }),
  createUrl: () => ({}),
  createSessionUrls: () => ({ attachmentIds: [mine.attachmentId] }),
  rotateKey: () => ({}),
  planMessage: () => ({ to: [theirs.agent.id], text: 'x', attachmentIds: [] }),
  sendMessage: () => ({ to: [theirs.agent.id], text: 'x', attachmentIds: [] }),
  retargetAgent: () => ({ target }),
  createGrant: () => ({ attachmentId: mine.attachmentId, agentId: theirs.agent.id, rights: ['read'] }),
  interruptAgent: () => ({ agentId: theirs.agent.id }),
  projectMessage: () => ({ format: 'anthropic', model: 'claude-sonnet-5', text: 'x', bytes: 'inline' }),
};

// Whether the connection stays open says how much of the body had come by then, not what is there.
const ofOneAnswer = new Set(['date', 'traceresponse', 'content-length', 'connection', 'keep-alive']);

function comparable({ status, headers, body }: Answer<Record<string, unknown>>) {
  const { requestId: _own, ...problem } = body;
  return { status, headers: Object.fromEntries([...headers].filter(([name]) => !ofOneAnswer.has(name))), problem };
}

async function callRoute(name: RouteName, ids: Ids, method = routes[name].method.toUpperCase()) {
  const path = routes[name].path.replaceAll(/\{(\w+)\}/g, (_, id: keyof Ids) => ids[id]);
  if (name === 'uploadRaw') {
    const upload = { raw: makePng(3, 3), headers: { 'content-type': 'image/png' } };
    return comparable(await stranger.call(method, `${path}?name=a.png`, upload));
  }
  if (name === 'uploadMultipart') {
    const form = new FormData();
    form.set('file', new Blob([makePng(3, 3)]), 'a.png');
    return comparable(await stranger.call(method, path, { raw: form }));
  }
  const body = bodies[name]?.();
  return comparable(await stranger.call(method, path, body === undefined ? {} : { body }));
}

const withIds = (Object.keys(routes) as RouteName[]).filter(
  // A profile is the operator's, and everyone's. A secret that is saved is the caller's own, whatever its name.
  (name) =>
    routes[name].path.includes('{') && !['signature', 'profile'].includes(routes[name].gate) && name !== 'saveSecret',
);

describe('another tenant', () => {
  for (const name of withIds) {
    it(`meets the same 404 for what is there and what is not: ${name} [S1 AT-15]`, async () => {
      const answer = await callRoute(name, mine);
      expect(answer.status).toBe(404);
      expect(answer.problem.code).toMatch(/_NOT_FOUND$/);
      expect(answer).toEqual(await callRoute(name, nobodys));
      expect(answer).toEqual(await callRoute(name, malformed));
    });
  }

  it('meets it for an agent of a foreign session under a session of its own [S1]', async () => {
    const remove = (agentId: string) =>
      stranger.call('DELETE', `/sessions/${theirs.session.id}/agents/${agentId}`).then(comparable);
    const answer = await remove(mine.agentId);
    expect(answer).toMatchObject({ status: 404, problem: { code: 'AGENT_NOT_FOUND' } });
    expect(answer).toEqual(await remove(nobodys.agentId));
  });

  for (const name of ['planMessage', 'sendMessage'] as const) {
    it(`meets it for ids in the body: ${name} [S1 S2 S3]`, async () => {
      const path = routes[name].path.replace('{sessionId}', theirs.session.id);
      const call = (to: string[], attachmentIds: string[]) =>
        stranger.call('POST', path, { body: { to, text: 'x', attachmentIds } }).then(comparable);
      const byAgent = await call([mine.agentId], []);
      expect(byAgent).toMatchObject({ status: 404, problem: { code: 'AGENT_NOT_FOUND' } });
      expect(byAgent).toEqual(await call([nobodys.agentId], []));
      const byAttachment = await call([theirs.agent.id], [mine.attachmentId]);
      expect(byAttachment).toMatchObject({ status: 404, problem: { code: 'ATTACHMENT_NOT_FOUND' } });
      expect(byAttachment).toEqual(await call([theirs.agent.id], [nobodys.attachmentId]));
      const kinds = (await stranger.events(theirs.session.id)).map(({ kind }) => kind);
      expect(kinds).not.toContain('message.accepted');
    });
  }

  it('cannot sign a variant of a foreign file, nor name it for one of its own [S1 S3 A6]', async () => {
    const variant = await waitForPreview(stack.api, mine.attachmentId);
    const { attachment } = await stranger.upload(theirs.session.id, makePng(30, 20));
    await stranger.inspected(attachment.id);
    const sign = (id: unknown) =>
      stranger.call('POST', `/attachments/${attachment.id}/urls`, { body: { variant: id } }).then(comparable);
    const answer = await sign(variant.id);
    expect(answer).toMatchObject({ status: 404, problem: { code: 'ATTACHMENT_NOT_FOUND' } });
    expect(answer).toEqual(await sign('var_AAAAAAAAAAAAAAAAAAAAAA'));
  });

  it('learns nothing by sending the same bytes: ids and variants are its own [BX-07 S33]', async () => {
    const { attachment } = await stranger.upload(theirs.session.id, makePng(30, 20));
    const [own, first] = [await stranger.inspected(attachment.id), await stack.api.inspected(mine.attachmentId)];
    expect(own.sha256).toBe(first.sha256);
    expect(own.id).not.toBe(first.id);
    const previews = [await waitForPreview(stranger, own.id), await waitForPreview(stack.api, first.id)];
    expect(previews[0]?.sha256).toBe(previews[1]?.sha256);
    expect(previews[0]?.id).not.toBe(previews[1]?.id);
  });

  it('changed nothing by all this', async () => {
    expect((await stack.api.call('GET', `/attachments/${mine.attachmentId}`)).status).toBe(200);
    expect((await stack.api.delivery(mine.deliveryId)).status).toBe('responded');
    const { body } = await stack.api.call('GET', `/sessions/${mine.sessionId}`);
    expect(body.session).toMatchObject({ status: 'active', agents: [{ id: mine.agentId }] });
  });
});

describe('another session of the same tenant', () => {
  it('cannot be reached by naming its files or agents [S1 S2 SR-28]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const send = (to: string, attachmentIds: string[]) =>
      api
        .call('POST', `/sessions/${session.id}/messages`, { body: { to: [to], text: 'x', attachmentIds } })
        .then(comparable);
    const foreign = await send(agent.id, [mine.attachmentId]);
    expect(foreign).toMatchObject({ status: 404, problem: { code: 'ATTACHMENT_NOT_FOUND' } });
    expect(foreign).toEqual(await send(agent.id, [nobodys.attachmentId]));
    expect(await send(mine.agentId, [])).toEqual(await send(nobodys.agentId, []));
    const removed = await api.call('DELETE', `/sessions/${session.id}/agents/${mine.agentId}`);
    expect(removed).toMatchObject({ status: 404, body: { code: 'AGENT_NOT_FOUND' } });
  });
});
