import { idFromUuid, uuidFromId } from '@attache/contracts';
import { expect, it, onTestFinished } from 'vitest';
import { openFixture } from '../../__fixtures__/open-fixture.ts';
import { createKey, revokeKey } from '../../access/manage-keys.ts';
import { createEventTicket } from '../../caller/event-ticket.ts';
import { startIngest } from '../../ingest.ts';

it('a stream that a ticket opened ends with the credential behind it, and not with the ticket', async () => {
  const { deps, caller, sessionId, keep } = await openFixture();
  const settings = { ...deps.settings, limits: { heartbeatMs: 200 } };
  const ingest = await startIngest({ ...deps, settings });
  onTestFinished(() => ingest.stop());
  const { key, secret } = await createKey(deps, caller, { name: 'one', scopes: ['read'] }, keep);
  const log = `${ingest.url}/v1/sessions/${idFromUuid('session', sessionId)}/events`;
  const made = await fetch(`${log}/tickets`, { method: 'POST', headers: { authorization: `Bearer ${secret}` } });
  const { ticket } = (await made.json()) as { ticket: string };
  const stream = await fetch(`${log}?ticket=${ticket}`, { headers: { accept: 'text/event-stream' } });
  expect(stream.status).toBe(200);
  let text = '';
  for await (const piece of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const [before, after] = [text.split('still here').length, `${text}${piece}`.split('still here').length];
    text += piece;
    // It outlives some heartbeats, then its key is taken away: reading ends because the stream does.
    if (before < 3 && after >= 3) await revokeKey(deps, caller, uuidFromId(key.id));
  }
  expect(text.split('still here').length).toBeGreaterThanOrEqual(3);
});

it('HEAD answers the headers of a stream: it follows nothing, takes no place of a stream, and leaves the ticket', async () => {
  const { deps, caller, sessionId, keep } = await openFixture();
  const open = new Set<() => void>();
  const doorbells: typeof deps.doorbells = {
    ...deps.doorbells,
    listen(...given) {
      const stop = deps.doorbells.listen(...given);
      const end = () => {
        open.delete(end);
        stop();
      };
      open.add(end);
      return end;
    },
  };
  const streamLimits = { perKey: 1, perTenant: 1 };
  const ingest = await startIngest({ ...deps, doorbells, settings: { ...deps.settings, streamLimits } });
  onTestFinished(() => ingest.stop());
  const before = open.size;
  const { secret } = await createKey(deps, caller, { name: 'one', scopes: ['read'] }, keep);
  const session = `${ingest.url}/v1/sessions/${idFromUuid('session', sessionId)}`;
  const authorization = `Bearer ${secret}`;
  const made = await fetch(`${session}/events/tickets`, { method: 'POST', headers: { authorization } });
  const { ticket } = (await made.json()) as { ticket: string };
  const accept = 'text/event-stream';
  for (const form of ['events', 'transcript']) {
    for (const [query, headers] of [
      ['', { authorization, accept }],
      [`?ticket=${ticket}`, { accept }],
    ] as const) {
      const answer = await fetch(`${session}/${form}${query}`, { method: 'HEAD', headers });
      expect([answer.status, answer.headers.get('content-type'), open.size]).toEqual([200, accept, before]);
    }
  }
  const reader = new AbortController();
  const stream = await fetch(`${session}/events?ticket=${ticket}`, { headers: { accept }, signal: reader.signal });
  expect(stream.status).toBe(200);
  reader.abort();
  await expect.poll(() => open.size, { timeout: 30_000 }).toBe(before);
});

it('a ticket that was used or has expired shuts no key out that comes from the same address; a forged one does', async () => {
  const { deps, tenantId, caller, sessionId, keep } = await openFixture();
  const rateLimits = { perKeyPerSecond: 0, perTenantPerSecond: 0, failedAuthPerMinutePerAddress: 2 };
  const ingest = await startIngest({ ...deps, settings: { ...deps.settings, rateLimits } });
  onTestFinished(() => ingest.stop());
  const { key, secret } = await createKey(deps, caller, { name: 'one', scopes: ['read'] }, keep);
  const log = `${ingest.url}/v1/sessions/${idFromUuid('session', sessionId)}/events`;
  const make = (nowSeconds: number) => {
    const maker = { keyId: uuidFromId(key.id) };
    return createEventTicket(deps.signingKeys, { tenantId, sessionId, maker, nowSeconds }).ticket;
  };
  const byTicket = async (ticket: string) => (await fetch(`${log}?ticket=${ticket}`)).status;
  const byKey = async () => (await fetch(log, { headers: { authorization: `Bearer ${secret}` } })).status;
  const [used, expired] = [make(Date.now() / 1000), make(Date.now() / 1000 - 60)];
  expect(await byTicket(used)).toBe(200);
  for (const ticket of [used, expired, used, expired]) expect(await byTicket(ticket)).toBe(401);
  expect(await byKey()).toBe(200);
  for (const _ of [1, 2]) expect(await byTicket(`${used}x`)).toBe(401);
  expect(await byKey()).toBe(429);
});

it('a ticket beside an Authorization header that cannot be used opens nothing, and is not used up', async () => {
  const { deps, tenantId, caller, sessionId, keep } = await openFixture();
  const ingest = await startIngest(deps);
  onTestFinished(() => ingest.stop());
  const { key } = await createKey(deps, caller, { name: 'one', scopes: ['read'] }, keep);
  const terms = { tenantId, sessionId, maker: { keyId: uuidFromId(key.id) }, nowSeconds: Date.now() / 1000 };
  const { ticket } = createEventTicket(deps.signingKeys, terms);
  const log = `${ingest.url}/v1/sessions/${idFromUuid('session', sessionId)}/events?ticket=${ticket}`;
  for (const authorization of ['Basic YTpi', 'Bearer', 'Bearer a b', ''])
    expect((await fetch(log, { headers: { authorization } })).status, authorization).toBe(401);
  expect((await fetch(log)).status).toBe(200);
});
