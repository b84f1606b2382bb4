// hosted: every – requests race on real connections
import type { Answer } from '@attache/test-harness';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['other'] });
});
afterAll(() => stack.stop());

const agents = [{ name: 'painter', role: 'lead', target: { profile: 'example' } }];
const isReplay = ({ headers }: Answer<unknown>) => headers.get('idempotency-replayed') === 'true';

let count = 0;
/** A key that no other request used. */
function newKey(): { 'idempotency-key': string } {
  count += 1;
  return { 'idempotency-key': `key-${count}` };
}

describe('a request repeated with its idempotency key', () => {
  it('gets the same answer, once made; another body gets 422 [DL-44 W2]', async () => {
    const { api } = stack;
    const headers = newKey();
    const make = (body: unknown) => api.call('POST', '/sessions', { body, headers });
    const first = await make({ agents, metadata: { order: 1, name: 'a' } });
    const again = await make({ metadata: { name: 'a', order: 1 }, agents });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect([isReplay(first), isReplay(again)]).toEqual([false, true]);
    expect(again.body).toEqual(first.body);
    const other = await make({ agents, metadata: { order: 2 } });
    expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED', retryable: false } });
    expect((await make({ agents, metadata: { order: 1, name: 'a' } })).body).toEqual(first.body);
  });

  it('is carried out once however many come at the same time [DL-44 W2]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const headers = newKey();
    const body = { to: [agent.id], text: 'only once' };
    const send = () => api.call('POST', `/sessions/${session.id}/messages`, { body, headers });
    const answers = await Promise.all(Array.from({ length: 8 }, send));
    const accepted = answers.filter(({ status }) => status === 202);
    const waiting = answers.filter(({ status }) => status !== 202);
    expect(accepted.length).toBeGreaterThan(0);
    expect(accepted.filter((answer) => !isReplay(answer))).toHaveLength(1);
    expect(new Set(accepted.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    for (const answer of waiting)
      expect(answer).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_PROGRESS', retryable: true } });
    const sent = accepted[0]?.body as { deliveries: { id: string }[] } | undefined;
    await api.settled(String(sent?.deliveries[0]?.id));
    const events = await api.events(session.id);
    expect(events.filter(({ kind }) => kind === 'message.accepted')).toHaveLength(1);
    expect(events.filter(({ kind }) => kind === 'delivery.written')).toHaveLength(1);
  });

  it('keeps a refusal by 422 and frees the key of every other one', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession({ model: 'example-text' });
    const { attachment } = await api.upload(session.id, makePng(9, 9));
    await api.inspected(attachment.id);
    const [blockedKey, unknownKey] = [newKey(), newKey()];
    const path = `/sessions/${session.id}/messages`;
    const blocked = { body: { to: [agent.id], text: 'look', attachmentIds: [attachment.id] }, headers: blockedKey };
    const [first, again] = [await api.call('POST', path, blocked), await api.call('POST', path, blocked)];
    expect([first.status, again.status, isReplay(again)]).toEqual([422, 422, true]);
    expect(again.body).toEqual(first.body);
    const unknown = { body: { to: ['agt_AAAAAAAAAAAAAAAAAAAAAA'], text: 'x' }, headers: unknownKey };
    expect((await api.call('POST', path, unknown)).status).toBe(404);
    const mended = { body: { to: [agent.id], text: 'x' }, headers: unknownKey };
    expect((await api.call('POST', path, mended)).status).toBe(202);
  });

  it('means nothing to another session or tenant, and a malformed key is refused', async () => {
    const { api } = stack;
    const [one, two] = [await api.createSession(), await api.createSession()];
    const headers = newKey();
    const bytes = makePng(7, 7);
    const first = await api.upload(one.session.id, bytes, { headers });
    const second = await api.upload(two.session.id, bytes, { headers });
    expect(second.attachment.id).not.toBe(first.attachment.id);
    const mine = await api.call('POST', '/sessions', { body: { agents }, headers });
    const theirs = await stack.apiOf('other').call('POST', '/sessions', { body: { agents }, headers });
    expect([mine.status, theirs.status, isReplay(theirs)]).toEqual([201, 201, false]);
    const malformed = { body: { agents }, headers: { 'idempotency-key': 'x'.repeat(300) } };
    expect(await api.call('POST', '/sessions', malformed)).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST' },
    });
  });
});

describe('an upload repeated with its idempotency key', () => {
  it('gives the same attachment, known by its bytes, name and type [DL-44 W2]', async () => {
    const { api } = stack;
    const { session } = await api.createSession();
    const headers = { ...newKey(), 'content-type': 'image/png' };
    const put = (raw: Uint8Array<ArrayBuffer>, name = 'a.png') =>
      api.call('PUT', `/sessions/${session.id}/attachments?name=${name}`, { raw, headers });
    const first = await put(makePng(6, 6, 1));
    const again = await put(makePng(6, 6, 1));
    expect([first.status, again.status, isReplay(again)]).toEqual([201, 201, true]);
    expect(again.body).toEqual(first.body);
    for (const other of [await put(makePng(6, 6, 2)), await put(makePng(6, 6, 1), 'b.png')])
      expect(other).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    const { body } = await api.call('GET', `/sessions/${session.id}/attachments`);
    expect(body.items).toHaveLength(1);
  });

  it('is stored once when two come at the same time [DL-44]', async () => {
    const { api } = stack;
    const { session } = await api.createSession();
    const headers = { ...newKey(), 'content-type': 'image/png' };
    const raw = makePng(300, 300);
    const put = () => api.call('PUT', `/sessions/${session.id}/attachments?name=a.png`, { raw, headers });
    const statuses = (await Promise.all([put(), put(), put()])).map(({ status }) => status);
    expect(statuses).toContain(201);
    expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
    const { body } = await api.call('GET', `/sessions/${session.id}/attachments`);
    expect(body.items).toHaveLength(1);
  });
});

describe('a retry repeated with its idempotency key', () => {
  it('tries the delivery again once [DL-44 DL-82]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession({ profile: 'scripted', model: 'script' });
    const sent = await api.send(session.id, { to: [agent.id], text: 'do: crash-once' });
    const [{ id }] = sent.deliveries;
    expect((await api.settled(id)).status).toBe('failed');
    const headers = newKey();
    const retry = () => api.call('POST', `/deliveries/${id}/retry`, { headers });
    const [first, again] = [await retry(), await retry()];
    expect([first.status, again.status, isReplay(again)]).toEqual([202, 202, true]);
    expect(await api.settled(id)).toMatchObject({ status: 'responded', attempts: 2 });
  });
});

describe('an idempotency key that someone else used', () => {
  it('is refused to another participant and another key, with neither the answer nor a second effect [DL-44]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const headers = newKey();
    const tokenOf = async (externalUserId: string) => {
      const body = { externalUserId, rights: ['messages:send'], ttlSeconds: 600 };
      return String((await api.call('POST', `/sessions/${session.id}/tokens`, { body })).body.token);
    };
    const [ours, theirs] = [await tokenOf('ours'), await tokenOf('theirs')];
    const body = { to: [agent.id], text: 'only ours' };
    const send = (credential: string) =>
      api.call('POST', `/sessions/${session.id}/messages`, { body, headers, credential });
    const first = await send(ours);
    expect(first.status).toBe(202);
    const refused = { status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } };
    for (const credential of [theirs, api.apiKey]) {
      const answer = await send(credential);
      expect(answer).toMatchObject(refused);
      expect(JSON.stringify(answer.body)).not.toContain(String((first.body as { message: { id: string } }).message.id));
    }
    expect((await send(ours)).body).toEqual(first.body);
    const accepted = (await api.events(session.id)).filter(({ kind }) => kind === 'message.accepted');
    expect(accepted).toHaveLength(1);
  });

  it('never gives a secret away, but to the successor of the key that got it [DL-44]', async () => {
    const { api } = stack;
    type Made = { secret: string; key: { id: string } };
    const make = async (name: string) =>
      (await api.call<Made>('POST', '/keys', { body: { name, scopes: ['admin'] } })).body;
    const [owner, other] = [await make('owner'), await make('other')];
    const headers = newKey();
    const body = { name: 'made', scopes: ['read'] };
    const ask = (credential: string) => api.call<Made>('POST', '/keys', { body, headers, credential });
    const made = await ask(owner.secret);
    expect(made.status).toBe(201);
    expect(await ask(other.secret)).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    const rotated = await api.call<Made>('POST', `/keys/${owner.key.id}/rotate`, { body: { overlapSeconds: 60 } });
    const again = await ask(rotated.body.secret);
    expect([again.status, isReplay(again)]).toEqual([201, true]);
    expect(again.body).toEqual(made.body);
  });

  it('is refused to another one that uploads under it [DL-44]', async () => {
    const { api } = stack;
    const { session } = await api.createSession();
    const headers = { ...newKey(), 'content-type': 'image/png' };
    const body = { externalUserId: 'painter', rights: ['attachments:write'], ttlSeconds: 600 };
    const token = String((await api.call('POST', `/sessions/${session.id}/tokens`, { body })).body.token);
    const put = (credential: string) =>
      api.call('PUT', `/sessions/${session.id}/attachments?name=a.png`, { raw: makePng(5, 5), headers, credential });
    expect((await put(api.apiKey)).status).toBe(201);
    expect(await put(token)).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect((await api.events(session.id)).filter(({ kind }) => kind === 'attachment.added')).toHaveLength(1);
  });
});
