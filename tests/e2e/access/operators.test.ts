// hosted: long – what one process ends another one refuses in grants.test.ts, too
// embedded: long – it starts a stack of its own for each thing that an operator does
import { randomBytes, randomUUID } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewApiKey } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';
import { readAnswer } from '../steps/turns.ts';

let stack: Stack;
beforeAll(async () => {
  const tenants = ['acme', 'small', 'tight', 'crowded', 'busy'];
  stack = await openStack({ tenants });
});
afterAll(() => stack.stop());

// Never the same twice: a tenant's equal files share their bytes.
const bytesOf = (sizeBytes: number) => new Uint8Array(randomBytes(sizeBytes));
const put = (tenant: string, sessionId: string, sizeBytes: number) =>
  stack.apiOf(tenant).call('PUT', `/sessions/${sessionId}/attachments?name=a.bin`, {
    raw: bytesOf(sizeBytes),
    headers: { 'content-type': 'application/octet-stream' },
  });

describe('a tenant’s own limits', () => {
  it('take the place of the platform’s for its uploads, at once, until they are taken away [AT-17]', async () => {
    const { session } = await stack.apiOf('small').createSession();
    expect((await put('small', session.id, 2_000)).status).toBe(201);
    const { tenant } = await stack.operate('tenant.set', { name: stack.nameOf('small'), maxUploadBytes: 1_000 });
    expect(tenant.maxUploadBytes).toBe(1_000);
    expect(await put('small', session.id, 1_001)).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
    expect((await put('small', session.id, 1_000)).status).toBe(201);
    await stack.operate('tenant.set', { name: stack.nameOf('small'), maxUploadBytes: null });
    expect((await put('small', session.id, 2_000)).status).toBe(201);
  });

  it('admit exactly the quota, however many uploads race for it; the rest is 429 and nothing of it is kept [S32]', async () => {
    const { session } = await stack.apiOf('tight').createSession();
    await stack.operate('tenant.set', { name: stack.nameOf('tight'), quotaBytes: 10_000 });
    const answers = await Promise.all(Array.from({ length: 60 }, () => put('tight', session.id, 999)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) expect(answer).toMatchObject({ status: 429, body: { code: 'QUOTA_EXCEEDED' } });
    const { body } = await stack
      .apiOf('tight')
      .call<{ items: unknown[] }>('GET', `/sessions/${session.id}/attachments`);
    expect(body.items).toHaveLength(10);
    const { items } = await stack.operate('tenant.list', { limit: 1000 });
    expect(items.find(({ name }) => name === stack.nameOf('tight'))).toMatchObject({
      usedBytes: 9_990,
      reservedBytes: 0,
    });
  });
});

describe('a suspended tenant', () => {
  it('is refused by every credential as if it were wrong, and served again when it is restored [S31]', async () => {
    const api = stack.apiOf('acme');
    const { session } = await api.createSession();
    const { attachment, displayUrl } = await api.upload(session.id, makePng(4, 4));
    const body = {
      externalUserId: 'anna',
      rights: ['attachments:read', 'attachments:write', 'events:read'],
      ttlSeconds: 600,
    };
    const token = String((await api.call('POST', `/sessions/${session.id}/tokens`, { body })).body.token);
    const tryAll = async () => {
      const asToken = { credential: token };
      const answers = [
        await api.call('GET', `/attachments/${attachment.id}`),
        await api.call('POST', '/sessions', { body: { agents: [] } }),
        await api.call('GET', '/keys'),
        await put('acme', session.id, 10),
        await api.call('GET', `/attachments/${attachment.id}`, asToken),
        await api.call('GET', `/sessions/${session.id}/events`, asToken),
        await fetch(displayUrl),
        await fetch(displayUrl, { method: 'HEAD' }),
      ];
      return answers.map(({ status }) => status);
    };
    const served = [200, 201, 200, 201, 200, 200, 200, 200];
    expect(await tryAll()).toEqual(served);
    expect((await stack.operate('tenant.revoke', { name: stack.nameOf('acme') })).tenant.status).toBe('suspended');
    expect(await tryAll()).toEqual(served.map(() => 401));
    const unknownKey = await api.call('GET', '/keys', { credential: `${api.apiKey.slice(0, -1)}x` });
    const { requestId: _, ...known } = (await api.call('GET', '/keys')).body;
    const { requestId: __, ...unknown } = unknownKey.body;
    expect(known).toEqual(unknown);
    expect((await stack.operate('tenant.restore', { name: stack.nameOf('acme') })).tenant.status).toBe('active');
    expect(await tryAll()).toEqual(served);
  });

  it('finds its agents’ tokens refused too: nothing is read or stored by them until it is restored [S31]', async () => {
    const api = stack.apiOf('busy');
    const { session, agent } = await api.createSession({ profile: 'scripted', model: 'any' });
    const isMarked = (name: string) =>
      access(join(stack.agentFolder(agent.id), 'home', name))
        .then(() => true)
        .catch(() => false);
    const lines = ['use-token', 'mark began', 'await-status 401', 'put early.txt', 'mark refused', 'await-status 200'];
    const text = [...lines, 'put late.txt'].map((line) => `do: ${line}`).join('\n');
    const { deliveries } = await api.send(session.id, { to: [agent.id], text });
    await expect.poll(() => isMarked('began'), { timeout: 60_000 }).toBe(true);
    await stack.operate('tenant.revoke', { name: stack.nameOf('busy') });
    await expect.poll(() => isMarked('refused'), { timeout: 60_000 }).toBe(true);
    await stack.operate('tenant.restore', { name: stack.nameOf('busy') });
    expect((await api.settled(deliveries[0].id)).status).toBe('responded');
    const [first, , seen, early, , again] = JSON.parse(await readAnswer(api, session.id, deliveries[0].id));
    expect([first, seen, again]).toEqual([200, 401, 200]);
    expect(early).toHaveProperty('error');
    const { body } = await api.call<{ items: { name: string }[] }>('GET', `/sessions/${session.id}/attachments`);
    expect(body.items.map(({ name }) => name)).toEqual(['late.txt']);
  });

  it('is not followed any longer: a stream ends within a heartbeat of its credential, and no other does [S31]', async () => {
    const api = stack.apiOf('crowded');
    const { session } = await api.createSession();
    const { body: made } = await api.call<NewApiKey>('POST', '/keys', { body: { name: 'x', scopes: ['read'] } });
    const leaving = new AbortController();
    const follow = async (credential: string) => {
      const headers = { accept: 'text/event-stream', authorization: `Bearer ${credential}` };
      const url = `${api.url}/v1/sessions/${session.id}/events`;
      const response = await fetch(url, { headers, signal: leaving.signal });
      expect(response.status).toBe(200);
      return { rest: response.text().catch(() => 'still open') };
    };
    // Both are followed before the key ends.
    const [{ rest: ofRevoked }, { rest: ofOther }] = [await follow(made.secret), await follow(api.apiKey)];
    await api.call('DELETE', `/keys/${made.key.id}`);
    expect(await ofRevoked).toContain('session.created');
    leaving.abort();
    expect(await ofOther).toBe('still open');
  });
});

describe('the operator', () => {
  it('makes a tenant once, with a key that opens it [S31]', async () => {
    const name = `t-${randomUUID()}`;
    const made = await stack.operate('tenant.create', { name });
    const again = await stack.operate('tenant.create', { name }).catch((error: unknown) => error);
    expect(again).toMatchObject({ code: 'TENANT_NAME_TAKEN' });
    const { body } = await stack.api.call<{ items: unknown[] }>('GET', '/keys', { credential: made.secret });
    expect(body.items).toMatchObject([made.key]);
    const { keys } = await stack.operate('tenant.rotate', { name, overlapSeconds: 0 });
    expect(keys).toHaveLength(1);
    const ask = (credential: string) => stack.api.call('GET', '/keys', { credential });
    expect((await ask(made.secret)).status).toBe(401);
    expect((await ask(keys[0]?.secret ?? '')).status).toBe(200);
    expect((await stack.operate('key.list', { tenant: name })).items.map(({ status }) => status)).toEqual([
      'expired',
      'active',
    ]);
  });

  it.each([
    ['tenant.set', { name: 'nobody', quotaBytes: 1 }, 'TENANT_NOT_FOUND'],
    ['tenant.set', { name: 'acme' }, 'INVALID_REQUEST'],
    ['tenant.create', { name: 'a b' }, 'INVALID_REQUEST'],
    ['tenant.create', { name: '*' }, 'INVALID_REQUEST'],
    ['key.list', { tenant: 'nobody' }, 'TENANT_NOT_FOUND'],
    ['key.revoke', { tenant: 'acme', keyId: 'key_AAAAAAAAAAAAAAAAAAAAAA' }, 'KEY_NOT_FOUND'],
    ['dead.list', { tenant: 'nobody' }, 'TENANT_NOT_FOUND'],
  ] as const)('is told what is wrong with %s %j', async (name, input, code) => {
    const named = Object.entries(input).map(([key, value]) => [key, value === 'acme' ? stack.nameOf(value) : value]);
    const refusal = await stack.operate(name, Object.fromEntries(named) as never).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code });
  });
});
