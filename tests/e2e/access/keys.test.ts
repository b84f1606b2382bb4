// hosted: long – the public API answers alone, from rows whose contract suite runs on Postgres
import type { ApiKey, NewApiKey } from '@attache/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['other'] });
});
afterAll(() => stack.stop());

type KeyRequest = { name?: string; scopes?: string[]; expiresAt?: string; trustedTrace?: boolean };
type Call = Parameters<Stack['api']['call']>[2];

const call = (method: string, path: string, request?: Call) => stack.api.call<NewApiKey>(method, path, request);
const askForKey = (request: KeyRequest, options: Call = {}) =>
  call('POST', '/keys', { ...options, body: { name: 'a key', scopes: ['read'], ...request } });

async function createKey(request: KeyRequest = {}): Promise<NewApiKey> {
  const answer = await askForKey(request);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}

/** Whether a credential is admitted: an unknown session is 404 then, and 401 else. */
async function isAdmitted(credential: string): Promise<boolean> {
  const answer = await call('GET', '/sessions/ses_AAAAAAAAAAAAAAAAAAAAAA', { credential });
  expect([401, 404]).toContain(answer.status);
  return answer.status === 404;
}

async function findKey(id: string): Promise<ApiKey | undefined> {
  const { body } = await stack.api.call<{ items: ApiKey[] }>('GET', '/keys?limit=200');
  return body.items.find((key) => key.id === id);
}

describe('an API key', () => {
  it('is made with scopes, and its secret is in that one answer', async () => {
    const { key, secret } = await createKey({ name: 'reader', scopes: ['read', 'read'] });
    expect(key).toMatchObject({ name: 'reader', scopes: ['read'], status: 'active', trustedTrace: false });
    expect(secret).toMatch(/^atk_/);
    expect(await isAdmitted(secret)).toBe(true);
    const refused = await call('POST', '/sessions', { credential: secret, body: { agents: [] } });
    expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    const listed = await stack.api.call('GET', '/keys?limit=200');
    expect(await findKey(key.id)).toMatchObject(key);
    expect(JSON.stringify(listed.body)).not.toContain(secret.slice(-51));
  });

  it('ends at once when it is revoked, twice is the same as once [S31]', async () => {
    const { key, secret } = await createKey();
    const revoke = () => call('DELETE', `/keys/${key.id}`);
    expect((await revoke()).status).toBe(204);
    expect(await isAdmitted(secret)).toBe(false);
    expect((await revoke()).status).toBe(204);
    expect(await findKey(key.id)).toMatchObject({ status: 'revoked', revokedAt: expect.any(String) });
  });

  it('ends at its time [S31]', async () => {
    const { secret } = await createKey({ expiresAt: new Date(Date.now() + 1_500).toISOString() });
    expect(await isAdmitted(secret)).toBe(true);
    await expect.poll(() => isAdmitted(secret), { timeout: 60_000 }).toBe(false);
    const past = await askForKey({ expiresAt: '2020-01-01T00:00:00.000Z' });
    expect(past).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  });

  it.each([
    ['no name', { name: '' }],
    ['a name of two lines', { name: 'a\nb' }],
    ['a name that turns its direction', { name: 'a\u202eb' }],
    ['no scope', { scopes: [] }],
    ['an unknown scope', { scopes: ['root'] }],
    ['a right in place of a scope', { scopes: ['keys:manage'] }],
    ['an expiry that is no time', { expiresAt: 'soon' }],
  ])('with %s is not made', async (_, request) => {
    expect(await askForKey(request)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  });

  it('is unknown to another tenant, and to whoever invents an id [S1]', async () => {
    const { key, secret } = await createKey();
    const other = stack.apiOf('other');
    for (const id of [key.id, 'key_AAAAAAAAAAAAAAAAAAAAAA', 'key_x', 'x']) {
      const answers = [
        await other.call('DELETE', `/keys/${id}`),
        await other.call('POST', `/keys/${id}/rotate`, { body: {} }),
      ];
      for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { code: 'KEY_NOT_FOUND' } });
    }
    expect(await isAdmitted(secret)).toBe(true);
    expect(JSON.stringify((await other.call('GET', '/keys')).body)).not.toContain(key.id);
  });
});

describe('rotation', () => {
  it('makes a key of the same scopes; the old one works for the overlap and no longer [S31]', async () => {
    const old = await createKey({ name: 'ci', scopes: ['attachments'] });
    const rotated = await call('POST', `/keys/${old.key.id}/rotate`, { body: { overlapSeconds: 5 } });
    expect(rotated.status).toBe(201);
    expect(rotated.body.key).toMatchObject({ name: 'ci', scopes: ['attachments'], rotatedFrom: old.key.id });
    expect([await isAdmitted(old.secret), await isAdmitted(rotated.body.secret)]).toEqual([true, true]);
    await expect.poll(() => isAdmitted(old.secret), { timeout: 60_000 }).toBe(false);
    expect(await isAdmitted(rotated.body.secret)).toBe(true);
  });

  it('without an overlap ends the old one at once; without a word it has an hour [S31]', async () => {
    const old = await createKey();
    const rotated = await call('POST', `/keys/${old.key.id}/rotate`, { body: { overlapSeconds: 0 } });
    expect([await isAdmitted(old.secret), await isAdmitted(rotated.body.secret)]).toEqual([false, true]);
    await call('POST', `/keys/${rotated.body.key.id}/rotate`, { body: {} });
    const { expiresAt = '' } = (await findKey(rotated.body.key.id)) ?? {};
    const leftSeconds = (new Date(expiresAt).getTime() - Date.now()) / 1000;
    expect(leftSeconds).toBeGreaterThan(3_000);
    expect(leftSeconds).toBeLessThan(4_200);
  });

  it('is refused for a key that is revoked, or was rotated before [S31]', async () => {
    const [revoked, rotated] = [await createKey(), await createKey()];
    await call('DELETE', `/keys/${revoked.key.id}`);
    const rotate = (id: string) => call('POST', `/keys/${id}/rotate`, { body: {} });
    expect((await rotate(rotated.key.id)).status).toBe(201);
    for (const { key } of [revoked, rotated])
      expect(await rotate(key.id)).toMatchObject({ status: 409, body: { code: 'KEY_ENDED' } });
  });

  it('twice at once makes one successor', async () => {
    const { key } = await createKey();
    const answers = await Promise.all([1, 2, 3].map(() => call('POST', `/keys/${key.id}/rotate`, { body: {} })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
  });
});

describe('whoever manages keys', () => {
  it('needs the right, and is no session token', async () => {
    const reader = await createKey({ scopes: ['sessions'] });
    const { session } = await stack.api.createSession();
    const body = { externalUserId: 'anna', rights: ['attachments:read'], ttlSeconds: 600 };
    const token = await stack.api.call('POST', `/sessions/${session.id}/tokens`, { body });
    for (const credential of [reader.secret, String(token.body.token)]) {
      const refused = [
        await askForKey({}, { credential }),
        await call('GET', '/keys', { credential }),
        await call('DELETE', `/keys/${reader.key.id}`, { credential }),
        await call('POST', `/keys/${reader.key.id}/rotate`, { credential, body: {} }),
        await call('GET', '/audit', { credential }),
      ];
      for (const answer of refused) expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    }
    expect(await isAdmitted(reader.secret)).toBe(true);
  });

  it('gets the same key for the same Idempotency-Key, secret and all [DL-44]', async () => {
    const headers = { 'idempotency-key': 'make-one' };
    const [first, second] = [
      await askForKey({ name: 'once' }, { headers }),
      await askForKey({ name: 'once' }, { headers }),
    ];
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await askForKey({ name: 'other' }, { headers })).toMatchObject({ status: 422 });
    const again = { headers: { 'idempotency-key': 'rotate-one' }, body: {} };
    const rotated = await call('POST', `/keys/${first.body.key.id}/rotate`, again);
    expect((await call('POST', `/keys/${first.body.key.id}/rotate`, again)).body).toEqual(rotated.body);
    expect(rotated.status).toBe(201);
  });

  it('reads them page by page, oldest first', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const path: string = cursor === null ? '/keys?limit=3' : `/keys?limit=3&cursor=${cursor}`;
      const { body } = await stack.api.call<{ items: ApiKey[]; nextCursor: string | null }>('GET', path);
      seen.push(...body.items.map(({ createdAt }) => createdAt));
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(seen.length).toBeGreaterThan(5);
    expect(seen).toEqual(seen.toSorted());
  });
});
