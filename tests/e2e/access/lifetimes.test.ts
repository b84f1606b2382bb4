// hosted: every – what one process ends, another one is asked for
import type { AgentOutput } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { runScript } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['ending'] });
});
afterAll(() => stack.stop());

const HOUR_SECONDS = 3600;
const FORBIDDEN = { status: 403, body: { code: 'FORBIDDEN' } };
const ENDED = { status: 401, body: { code: 'UNAUTHENTICATED' } };

type TokenRequest = { rights: string[]; externalUserId?: string };

const askToken = (sessionId: string, request: TokenRequest, credential = stack.api.apiKey) =>
  stack.api.call('POST', `/sessions/${sessionId}/tokens`, {
    credential,
    body: { externalUserId: 'anna', ttlSeconds: 600, ...request },
  });

async function makeToken(sessionId: string, request: TokenRequest, credential?: string): Promise<string> {
  const answer = await askToken(sessionId, request, credential);
  expect(answer.status).toBe(201);
  return String(answer.body.token);
}

async function makeKey(scopes: string[]): Promise<{ id: string; secret: string }> {
  const { status, body } = await stack.api.call('POST', '/keys', { body: { name: 'a platform', scopes } });
  expect(status).toBe(201);
  return { id: (body.key as { id: string }).id, secret: String(body.secret) };
}

const put = (sessionId: string, credential: string) =>
  stack.api.call('PUT', `/sessions/${sessionId}/attachments?name=a.png`, {
    credential,
    raw: makePng(5, 5),
    headers: { 'content-type': 'image/png' },
  });

/** Seconds from now until a signed URL ends. */
const lifetimeOf = (url: unknown) => Number(new URL(String(url)).searchParams.get('exp')) - Date.now() / 1000;

const readCode = async (url: unknown) => {
  const response = await fetch(String(url));
  return response.ok ? response.status : ((await response.json()) as { code: string }).code;
};

describe('whoever gives a right', () => {
  it('has it: no token and no participant gets one that its maker lacks [BX-09]', async () => {
    const { secret } = await makeKey(['sessions']);
    const { session } = await stack.api.createSession();
    expect(await askToken(session.id, { rights: ['overrides:manage'] }, secret)).toMatchObject(FORBIDDEN);
    expect((await askToken(session.id, { rights: ['messages:send'] }, secret)).status).toBe(201);
    const make = (rights: string[]) =>
      stack.api.call('POST', '/sessions', {
        credential: secret,
        body: { agents: [], participants: [{ externalUserId: 'anna', rights }] },
      });
    expect(await make(['events:read', 'overrides:manage'])).toMatchObject(FORBIDDEN);
    expect((await make(['events:read'])).status).toBe(201);
  });

  it('names in a message or a plan what it may read, or uploaded itself [SR-28 BX-09]', async () => {
    const { session, agent } = await stack.api.createSession();
    const { attachment } = await stack.api.upload(session.id, makePng(5, 5));
    const credential = await makeToken(session.id, { rights: ['attachments:write', 'messages:send'] });
    const own = (await put(session.id, credential)).body.attachment as { id: string };
    const ask = (path: string, attachmentIds: string[]) =>
      stack.api.call('POST', `/sessions/${session.id}/${path}`, {
        credential,
        body: { to: [agent.id], text: 'look', attachmentIds },
      });
    for (const path of ['messages', 'plan']) {
      expect(await ask(path, [attachment.id])).toMatchObject(FORBIDDEN);
      expect(await ask(path, [own.id, attachment.id])).toMatchObject(FORBIDDEN);
    }
    expect((await ask('plan', [own.id])).status).toBe(200);
    expect((await ask('messages', [own.id])).status).toBe(202);
    const granted = (await stack.api.events(session.id)).filter(({ kind }) => kind === 'grant.created');
    expect(granted.map(({ data }) => data.attachmentId)).toEqual([own.id]);
  });
});

describe('a session token', () => {
  const read = (sessionId: string, credential: string) =>
    stack.api.call('GET', `/sessions/${sessionId}/events`, { credential });

  it('ends with its participant’s tokens, or with all of the session, and a new one works [BX-09]', async () => {
    const { session } = await stack.api.createSession();
    const rights = ['events:read'];
    const make = (externalUserId: string) => makeToken(session.id, { rights, externalUserId });
    const [anna, ben] = [await make('anna'), await make('ben')];
    const end = (body?: unknown) => stack.api.call('DELETE', `/sessions/${session.id}/tokens`, { body });
    expect((await end({ externalUserId: 'anna' })).status).toBe(204);
    expect(await read(session.id, anna)).toMatchObject(ENDED);
    expect((await read(session.id, ben)).status).toBe(200);
    const again = await make('anna');
    expect((await end()).status).toBe(204);
    for (const token of [anna, ben, again]) expect(await read(session.id, token)).toMatchObject(ENDED);
    expect((await read(session.id, await make('anna'))).status).toBe(200);
    expect(await end({ externalUserId: 'anna', all: true })).toMatchObject({ status: 400 });
    const { body } = await stack.api.call<{ items: { data: unknown }[] }>('GET', '/audit?action=tokens.ended');
    expect(body.items.map(({ data }) => data)).toMatchObject([{ of: 'session' }, { of: 'participant' }]);
  });

  it('ends with the revocation of the key that made it, and not with its rotation [BX-09]', async () => {
    const { session } = await stack.api.createSession();
    const [kept, revoked] = [await makeKey(['sessions']), await makeKey(['sessions'])];
    const make = ({ secret }: { secret: string }) => makeToken(session.id, { rights: ['events:read'] }, secret);
    const [byKept, byRevoked] = [await make(kept), await make(revoked)];
    const rotated = await stack.api.call('POST', `/keys/${kept.id}/rotate`, { body: { overlapSeconds: 0 } });
    expect(rotated.status).toBe(201);
    expect((await stack.api.call('DELETE', `/keys/${revoked.id}`)).status).toBe(204);
    expect((await read(session.id, byKept)).status).toBe(200);
    expect(await read(session.id, byRevoked)).toMatchObject(ENDED);
    expect((await stack.api.call('DELETE', `/keys/${kept.id}`)).status).toBe(204);
    expect(await read(session.id, byKept)).toMatchObject(ENDED);
  });

  it('gets URLs for a day at most, and none once its session has ended; a key’s live for years [AT-26]', async () => {
    const { session } = await stack.api.createSession();
    const credential = await makeToken(session.id, {
      rights: ['attachments:read', 'attachments:write', 'urls:create'],
    });
    const { attachment, displayUrl } = (await put(session.id, credential)).body as {
      attachment: { id: string };
      displayUrl: string;
    };
    const sign = (given: string, body: unknown = {}) =>
      stack.api.call('POST', `/attachments/${attachment.id}/urls`, { credential: given, body });
    const day = 24 * HOUR_SECONDS;
    for (const [url, least] of [
      [displayUrl, day - HOUR_SECONDS - 600],
      [(await sign(credential, { ttlSeconds: 90 * day })).body.url, day - 600],
    ] as const) {
      expect(lifetimeOf(url)).toBeLessThanOrEqual(day);
      expect(lifetimeOf(url)).toBeGreaterThan(least);
    }
    expect(lifetimeOf((await sign(credential, { ttlSeconds: 60 })).body.url)).toBeLessThanOrEqual(60);
    expect(lifetimeOf((await sign(stack.api.apiKey)).body.url)).toBeGreaterThan(9 * 365 * day);
    expect((await stack.api.call('POST', `/sessions/${session.id}/end`)).status).toBe(202);
    expect(await sign(credential)).toMatchObject({ status: 409, body: { code: 'SESSION_ENDED' } });
    expect((await sign(stack.api.apiKey)).status).toBe(201);
    expect(await readCode(displayUrl)).toBe(200);
  });
});

describe('a URL that an agent is given', () => {
  it('for a file that it was granted ends with the grant, and soon; for its own output as an upload’s does [AT-26 AT-33]', async () => {
    const place = await stack.api.createSession({ profile: 'scripted', model: 'script' });
    const bytes = new Uint8Array(Buffer.from('granted'));
    const { attachment } = await stack.api.upload(place.session.id, bytes, { name: 'a.txt', type: 'text/plain' });
    await stack.api.inspected(attachment.id);
    const [granted, output] = await runScript(
      stack.api,
      place,
      [`url ${attachment.id}`, 'put own.txt'],
      [attachment.id],
    );
    const { attachmentId, displayUrl } = output as AgentOutput;
    await stack.api.inspected(attachmentId);
    const [own] = await runScript(stack.api, place, [`url ${attachmentId}`]);
    expect(lifetimeOf(granted)).toBeLessThanOrEqual(HOUR_SECONDS / 4);
    for (const url of [own, displayUrl]) expect(lifetimeOf(url)).toBeGreaterThan(9 * 365 * 24 * HOUR_SECONDS);
    expect(await readCode(granted)).toBe(200);
    const grants = (await stack.api.events(place.session.id)).filter(({ kind }) => kind === 'grant.created');
    for (const { data } of grants)
      await stack.api.call('DELETE', `/sessions/${place.session.id}/grants/${data.grantId}`);
    expect(await readCode(granted)).toBe('INVALID_SIGNATURE');
    expect([await readCode(own), await readCode(displayUrl)]).toEqual([200, 200]);
  });
});

describe('the operator', () => {
  it('ends every URL of a tenant that was given so far, and of no other [AT-26]', async () => {
    const [api, other] = [stack.apiOf('ending'), stack.api];
    const give = async (from: typeof api) => {
      const { session } = await from.createSession();
      return from.upload(session.id, makePng(5, 5));
    };
    const [given, foreign] = [await give(api), await give(other)];
    await stack.operate('tenant.endUrls', { name: stack.nameOf('ending') });
    expect(await readCode(given.displayUrl)).toBe('INVALID_SIGNATURE');
    expect(await readCode(foreign.displayUrl)).toBe(200);
    const { body } = await api.call('POST', `/attachments/${given.attachment.id}/urls`, { body: {} });
    expect([await readCode(body.url), await readCode((await give(api)).displayUrl)]).toEqual([200, 200]);
  });
});
