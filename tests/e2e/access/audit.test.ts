// hosted: long – the public API answers alone, from rows whose contract suite runs on Postgres
import { type AuditEntry, auditEntrySchema, type NewApiKey } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack({ tenants: ['acme'] });
});
afterAll(() => stack.stop());

type Page = { items: AuditEntry[]; nextCursor: string | null };

async function readAudit(query = ''): Promise<AuditEntry[]> {
  const { status, body } = await stack.apiOf('acme').call<Page>('GET', `/audit?limit=200${query}`);
  expect(status).toBe(200);
  return body.items;
}

it('what gives or takes access is in the audit log, newest first, and no secret is', async () => {
  const api = stack.apiOf('acme');
  const make = { name: 'ci', scopes: ['read'] };
  const { body: made } = await api.call<NewApiKey>('POST', '/keys', { body: make });
  const { body: next } = await api.call<NewApiKey>('POST', `/keys/${made.key.id}/rotate`, { body: {} });
  await api.call('DELETE', `/keys/${next.key.id}`);
  await api.call('DELETE', `/keys/${next.key.id}`);
  const { session } = await api.createSession();
  const { attachment } = await api.upload(session.id, makePng(4, 4));
  await api.call('POST', `/attachments/${attachment.id}/urls`, { body: {} });
  await api.call('DELETE', `/attachments/${attachment.id}/urls`);
  await api.call('DELETE', `/attachments/${attachment.id}`);
  const body = { externalUserId: 'anna', rights: ['events:read'], ttlSeconds: 60 };
  const token = await api.call('POST', `/sessions/${session.id}/tokens`, { body });
  await stack.operate('tenant.set', { name: stack.nameOf('acme'), quotaBytes: 1_000_000_000 });

  const entries = await readAudit();
  for (const entry of entries) expect(auditEntrySchema.parse(entry)).toEqual(entry);
  const [[, own = ''] = []] = [...new Set(entries.map(({ actor }) => actor.id))].map((id) => [id, id]);
  expect(own).not.toBe('');
  expect(entries.map(({ action }) => action)).toEqual([
    'tenant.changed',
    'token.created',
    'attachment.deleted',
    'urls.ended',
    'urls.created',
    'key.revoked',
    'key.rotated',
    'key.created',
    // The key of the tenant itself: its first one.
    'key.created',
    'tenant.changed',
  ]);
  expect(entries[0]).toMatchObject({
    actor: { type: 'operator' },
    data: { change: 'limits', quotaBytes: 1_000_000_000 },
  });
  expect(entries.at(-3)).toMatchObject({ actor: { type: 'key' }, subjectId: made.key.id, data: { scopes: 'read' } });
  expect(entries.at(-4)).toMatchObject({ subjectId: made.key.id, data: { replacedBy: next.key.id } });
  const text = JSON.stringify(entries);
  for (const secret of [made.secret, next.secret, String(token.body.token)]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(secret.slice(-43));
  }
});

it('it is read page by page and by action, by its own tenant', async () => {
  const api = stack.apiOf('acme');
  const first = await api.call<Page>('GET', '/audit?limit=3');
  const second = await api.call<Page>('GET', `/audit?limit=3&cursor=${first.body.nextCursor}`);
  const all = await readAudit();
  expect([...first.body.items, ...second.body.items]).toEqual(all.slice(0, 6));
  const created = await readAudit('&action=key.created');
  expect(created.map(({ action }) => action)).toEqual(['key.created', 'key.created']);
  const forged = await api.call('GET', '/audit?cursor=x');
  expect(forged).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  const { body: others } = await stack.api.call<Page>('GET', '/audit?limit=200');
  expect(others.items.filter(({ id }) => all.some((entry) => entry.id === id))).toEqual([]);
});

it('a denial is noted with its route and right; who keeps trying does not fill the log', async () => {
  const api = stack.apiOf('acme');
  const { body: reader } = await api.call<NewApiKey>('POST', '/keys', { body: { name: 'r', scopes: ['read'] } });
  const { session } = await api.createSession();
  const before = (await readAudit('&action=access.denied')).length;
  const denied = await api.call('POST', `/sessions/${session.id}/end`, { credential: reader.secret });
  expect(denied.status).toBe(403);
  const [entry] = await readAudit('&action=access.denied');
  expect(entry).toMatchObject({
    actor: { type: 'key', id: reader.key.id },
    subjectId: session.id,
    data: { route: 'endSession', right: 'sessions:manage' },
  });
  const tries = Array.from({ length: 60 }, () => api.call('GET', '/keys', { credential: reader.secret }));
  for (const answer of await Promise.all(tries)) expect(answer.status).toBe(403);
  const noted = (await readAudit('&action=access.denied')).length - before;
  expect(noted).toBeGreaterThan(1);
  expect(noted).toBeLessThanOrEqual(40);
});
