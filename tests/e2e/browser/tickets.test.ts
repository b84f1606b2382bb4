// hosted: every – a ticket that one process made, another one takes, and only one of them
import type { EventTicket } from '@attache/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['stranger'] });
});
afterAll(() => stack.stop());

const makeTicket = async (sessionId: string, credential = stack.api.apiKey): Promise<string> => {
  const path = `/sessions/${sessionId}/events/tickets`;
  const { status, headers, body } = await stack.api.call<EventTicket>('POST', path, { credential });
  expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
  const seconds = (Date.parse(body.expiresAt) - Date.now()) / 1000;
  expect(seconds).toBeLessThanOrEqual(30);
  return body.ticket;
};

/** Opens a stream as an `EventSource` does, and reads its first event; a refused one is the status with its code. */
async function open(sessionId: string, query: string, headers: Record<string, string> = {}, form = 'events') {
  const reader = new AbortController();
  const answer = await fetch(`${stack.api.url}/v1/sessions/${sessionId}/${form}?${query}`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: AbortSignal.any([reader.signal, AbortSignal.timeout(60_000)]),
  });
  if (!answer.ok) return `${answer.status} ${((await answer.json()) as { code: string }).code}`;
  let text = '';
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (/^data: .*\n\n/m.test(text)) break;
  }
  reader.abort();
  return /^id: (.*)$/m.exec(text)?.[1];
}

const REFUSED = '401 UNAUTHENTICATED';

async function makeToken(sessionId: string, rights: string[]): Promise<string> {
  const body = { externalUserId: rights.join(), rights, ttlSeconds: 600 };
  const { body: made } = await stack.api.call('POST', `/sessions/${sessionId}/tokens`, { body });
  return String(made.token);
}

describe('a ticket', () => {
  it('opens the log or the transcript of its session once, from the place that is asked for', async () => {
    const { session } = await stack.api.createSession();
    expect(await open(session.id, `ticket=${await makeTicket(session.id)}`)).toBe('1');
    expect(await open(session.id, `after=1&ticket=${await makeTicket(session.id)}`)).toBe('2');
    const resumed = { 'last-event-id': '1' };
    expect(await open(session.id, `after=0&ticket=${await makeTicket(session.id)}`, resumed)).toBe('2');
    const ticket = await makeTicket(session.id);
    expect(await open(session.id, `ticket=${ticket}`, {}, 'transcript')).toMatch(/^\d+$/);
    for (const form of ['events', 'transcript'])
      expect(await open(session.id, `ticket=${ticket}`, {}, form)).toBe(REFUSED);
  });

  it('is used by exactly one of many who try at the same time', async () => {
    const { session } = await stack.api.createSession();
    const ticket = await makeTicket(session.id);
    const tries = await Promise.all(Array.from({ length: 12 }, () => open(session.id, `ticket=${ticket}`)));
    expect(tries.filter((each) => each === '1')).toHaveLength(1);
    expect(tries.filter((each) => each === REFUSED)).toHaveLength(11);
  });

  it('opens no other session, no other route, and is no credential in a header', async () => {
    const [{ session }, other] = [await stack.api.createSession(), await stack.api.createSession()];
    const ticket = await makeTicket(session.id);
    for (const id of [other.session.id, 'ses_AAAAAAAAAAAAAAAAAAAAAA', 'ses_x'])
      expect(await open(id, `ticket=${ticket}`)).toBe(REFUSED);
    const ask = (path: string, headers: Record<string, string> = {}) =>
      stack.api.call('GET', path, { credential: null, headers });
    for (const path of [`/sessions/${session.id}`, `/sessions/${session.id}/attachments`, '/sessions'])
      expect((await ask(`${path}?ticket=${ticket}`)).status).toBe(401);
    expect((await ask(`/sessions/${session.id}/events`, { authorization: `Bearer ${ticket}` })).status).toBe(401);
    for (const altered of [`${ticket}x`, ticket.slice(0, -1), `x${ticket}`, ''])
      expect(await open(session.id, `ticket=${encodeURIComponent(altered)}`)).toBe(REFUSED);
    expect(await open(session.id, `ticket=${ticket}`)).toBe('1');
  });

  it('is made by whoever may read the log, and shows them what they may see', async () => {
    const { session } = await stack.api.createSession();
    const reading = await makeToken(session.id, ['events:read']);
    expect(await open(session.id, `ticket=${await makeTicket(session.id, reading)}`)).toBe('1');
    const path = `/sessions/${session.id}/events/tickets`;
    const { api } = stack;
    const sending = await makeToken(session.id, ['messages:send']);
    expect(await api.call('POST', path, { credential: sending })).toMatchObject({ status: 403 });
    expect(await api.call('POST', path, { credential: null })).toMatchObject({ status: 401 });
    expect(await stack.apiOf('stranger').call('POST', path)).toMatchObject({ status: 404 });
    const { session: foreign } = await api.createSession();
    const elsewhere = `/sessions/${foreign.id}/events/tickets`;
    expect(await api.call('POST', elsewhere, { credential: reading })).toMatchObject({ status: 404 });
  });

  it('ends with the credential that made it', async () => {
    const { session } = await stack.api.createSession();
    const token = await makeToken(session.id, ['events:read']);
    const { body } = await stack.api.call('POST', '/keys', { body: { name: 'a platform', scopes: ['read'] } });
    const key = body.key as { id: string };
    const [byToken, byKey] = [await makeTicket(session.id, token), await makeTicket(session.id, String(body.secret))];
    expect((await stack.api.call('DELETE', `/sessions/${session.id}/tokens`)).status).toBe(204);
    expect((await stack.api.call('DELETE', `/keys/${key.id}`)).status).toBe(204);
    for (const ticket of [byToken, byKey]) expect(await open(session.id, `ticket=${ticket}`)).toBe(REFUSED);
  });

  it('lets a page of the tenant’s origin follow the log, and no page of another', async () => {
    const { session } = await stack.api.createSession();
    const origin = 'https://follows.example';
    await stack.api.call('PUT', '/cors-origins', { body: { origins: [origin] } });
    const openFrom = async (page: string) =>
      open(session.id, `ticket=${await makeTicket(session.id)}`, { origin: page });
    await expect.poll(() => openFrom(origin), { timeout: 30_000 }).toBe('1');
    expect(await openFrom('https://other.example')).toBe('403 ORIGIN_NOT_ALLOWED');
  });
});
