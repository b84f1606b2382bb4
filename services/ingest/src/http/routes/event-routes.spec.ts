import { randomUUID } from 'node:crypto';
import { createApiKeySecret } from '@attache/api-keys/api-key-secret';
import { idFromUuid } from '@attache/contracts';
import { appendEvents, insertApiKey, readApiKey } from '@attache/database';
import { countRoundTrips } from '@attache/database/contract';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Fixture, openFixture } from '../../__fixtures__/open-fixture.ts';
import { startIngest } from '../../ingest.ts';

async function serve(fixture: Fixture) {
  const { db, take } = countRoundTrips(fixture.deps.db);
  const ingest = await startIngest({ ...fixture.deps, db });
  onTestFinished(() => ingest.stop());
  const id = randomUUID();
  const { apiKey, secretHash } = createApiKeySecret(id);
  const key = {
    tenantId: fixture.tenantId,
    id,
    name: 'key',
    secretHash,
    trustedTrace: false,
    scopes: ['admin' as const],
  };
  await fixture.deps.db.asTenant(fixture.tenantId, (tx) => insertApiKey(tx, key));
  const get = (sessionId: string, query = '') =>
    fetch(`${ingest.url}/v1/sessions/${idFromUuid('session', sessionId)}/events${query}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
  // The first use of a key is noted apart from its request.
  await get(fixture.sessionId);
  const isNoted = async () =>
    (await fixture.deps.db.asTenant(fixture.tenantId, (tx) => readApiKey(tx, id)))?.lastUsedAt;
  await vi.waitUntil(isNoted, { timeout: 60_000 });
  return { get, take };
}

const event = { kind: 'session.ended', actor: { type: 'service', id: 'ingest' }, data: {} } as const;

it('a page of a log costs one look-up, with the credential, and one read', async () => {
  const fixture = await openFixture();
  await fixture.deps.db.asTenant(fixture.tenantId, (tx) => appendEvents(tx, fixture.sessionId, [event, event]));
  const { get, take } = await serve(fixture);
  take();
  const answer = await get(fixture.sessionId, '?after=1');
  expect([answer.status, await answer.json()]).toMatchObject([200, { items: [{ seq: 2 }], nextCursor: null }]);
  expect(take()).toBe(2);
});

it('what the look-up found refuses a seq that is not there, and a session that is not the caller’s, without a read', async () => {
  const fixture = await openFixture();
  const { get, take } = await serve(fixture);
  take();
  expect((await get(fixture.sessionId, '?after=1')).status).toBe(400);
  expect((await get((await openFixture()).sessionId)).status).toBe(404);
  expect(take()).toBe(2);
});
