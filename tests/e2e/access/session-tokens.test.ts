// hosted: long – a token is judged before any server is asked
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

type TokenRequest = { rights: string[]; ttlSeconds?: number; externalUserId?: string };

async function createToken(sessionId: string, request: TokenRequest): Promise<string> {
  const body = { externalUserId: 'anna', ttlSeconds: 600, ...request };
  const answer = await stack.api.call('POST', `/sessions/${sessionId}/tokens`, { body });
  expect(answer.status).toBe(201);
  expect(answer.body.token).toMatch(/^ats_/);
  return String(answer.body.token);
}

const everything = ['attachments:read', 'attachments:write', 'messages:send', 'events:read', 'urls:create'];

describe('a session token', () => {
  it('does in its session what its rights allow, as its user', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const credential = await createToken(session.id, { rights: everything });
    const put = { credential, raw: makePng(5, 5), headers: { 'content-type': 'image/png' } };
    const uploaded = await api.call('PUT', `/sessions/${session.id}/attachments?name=a.png`, put);
    expect(uploaded.status).toBe(201);
    const { id } = uploaded.body.attachment as { id: string };
    expect((await api.call('GET', `/attachments/${id}`, { credential })).status).toBe(200);
    const message = { to: [agent.id], text: 'from a browser' };
    const sent = await api.call('POST', `/sessions/${session.id}/messages`, { credential, body: message });
    expect(sent.status).toBe(202);
    const [added] = (await api.events(session.id)).filter(({ kind }) => kind === 'attachment.added');
    expect(added?.actor).toMatchObject({ type: 'user', id: expect.stringMatching(/^usr_/) });
  });

  it('lacks a right: 403 where it may see, and only there [AT-15]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const { attachment } = await api.upload(session.id, makePng(5, 5));
    const credential = await createToken(session.id, { rights: ['events:read'] });
    const forbidden = [
      await api.call('GET', `/attachments/${attachment.id}`, { credential }),
      await api.call('DELETE', `/attachments/${attachment.id}`, { credential }),
      await api.call('GET', `/sessions/${session.id}/attachments`, { credential }),
      await api.call('POST', `/sessions/${session.id}/messages`, { credential, body: { to: [agent.id], text: 'x' } }),
      await api.call('POST', `/sessions/${session.id}/end`, { credential }),
      await api.call('POST', '/sessions', { credential, body: { agents: [] } }),
    ];
    for (const answer of forbidden) expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await api.call('GET', `/sessions/${session.id}/events`, { credential })).status).toBe(200);
  });

  it('sees nothing of another session: 404, the same as for what is not there [AT-15 S1]', async () => {
    const { api } = stack;
    const [mine, other] = [await api.createSession(), await api.createSession()];
    const { attachment } = await api.upload(other.session.id, makePng(5, 5));
    const { deliveries } = await api.send(other.session.id, { to: [other.agent.id], text: 'hello' });
    for (const rights of [everything, ['completion:read']]) {
      const credential = await createToken(mine.session.id, { rights, externalUserId: `user-${rights.length}` });
      const read = async (path: string) => {
        const { status, body } = await api.call('GET', path, { credential });
        const { requestId: _own, ...problem } = body;
        return { status, problem };
      };
      const pairs = [
        [`/sessions/${other.session.id}`, '/sessions/ses_AAAAAAAAAAAAAAAAAAAAAA'],
        [`/sessions/${other.session.id}/events`, '/sessions/ses_AAAAAAAAAAAAAAAAAAAAAA/events'],
        [`/sessions/${other.session.id}/transcript`, '/sessions/ses_AAAAAAAAAAAAAAAAAAAAAA/transcript'],
        [`/attachments/${attachment.id}`, '/attachments/att_AAAAAAAAAAAAAAAAAAAAAA'],
        [`/deliveries/${deliveries[0].id}`, '/deliveries/dlv_AAAAAAAAAAAAAAAAAAAAAA'],
      ] as const;
      for (const [foreign, unknown] of pairs) {
        const answer = await read(foreign);
        expect(answer.status, foreign).toBe(404);
        expect(answer, foreign).toEqual(await read(unknown));
      }
    }
  });

  it('ends with its time, and an altered one never began [AT-15]', async () => {
    const { api } = stack;
    const { session } = await api.createSession();
    const credential = await createToken(session.id, { rights: ['events:read'], ttlSeconds: 1 });
    const read = (given: string | null) => api.call('GET', `/sessions/${session.id}`, { credential: given });
    await vi.waitFor(async () => expect((await read(credential)).status).toBe(401), { timeout: 60_000 });
    const lasting = await createToken(session.id, { rights: ['events:read'] });
    const [payload = '', mac = ''] = lasting.slice('ats_'.length).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const raised = Buffer.from(JSON.stringify({ ...claims, rights: everything })).toString('base64url');
    const refused = [null, '', 'x', `ats_${raised}.${mac}`, `ats_${payload}.`, `${lasting}x`, 'ata_x', 'atk_x'];
    for (const given of refused) {
      const answer = await read(given);
      expect(answer, String(given)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect((await read(lasting)).status).toBe(200);
  });

  it('cannot hold more than its user may, nor rights over tenants and keys', async () => {
    const { api } = stack;
    const participants = [{ externalUserId: 'guest', rights: ['events:read'] }];
    const { body } = await api.call('POST', '/sessions', { body: { agents: [], participants } });
    const { id } = body.session as { id: string };
    const ask = (externalUserId: string, rights: string[]) =>
      api.call('POST', `/sessions/${id}/tokens`, { body: { externalUserId, rights, ttlSeconds: 60 } });
    expect((await ask('guest', ['events:read'])).status).toBe(201);
    expect(await ask('guest', ['messages:send'])).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await ask('other', ['keys:manage'])).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });
});
