import { readEnvironment } from '@attache/infra/config';
import { findServers } from '@attache/infra/find-servers';
import type { ServerStarts } from '@attache/infra/native/servers/server-starts';
import { type Api, makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type KillableStack, startKillable } from './components.ts';

const MAX_BACKLOG = 6;
const WAIT = { timeout: 60_000, interval: 200 };

const { starts } = await findServers({ environment: readEnvironment() });
const hasServers = Boolean(starts.postgres && starts.nats && starts.minio);
const title = 'while a server is away';

let stack: KillableStack;
let api: Api;
let sessionId: string;
let seed = 0;

/** Uploads a picture of its own; answers the status, the code of a refusal and the id. */
async function upload(): Promise<{ status: number; code: string | undefined; id: string; retryAfter: string | null }> {
  seed += 1;
  const path = `/sessions/${sessionId}/attachments?name=p.png`;
  const answer = await api.call('PUT', path, { raw: makePng(20, 20, seed), headers: { 'content-type': 'image/png' } });
  const { attachment, code } = answer.body as { attachment?: { id: string }; code?: string };
  return { status: answer.status, code, id: attachment?.id ?? '', retryAfter: answer.headers.get('retry-after') };
}

const readiness = async () => {
  const response = await fetch(`${stack.hosted.services.ingest.opsUrl}/readyz`);
  return { status: response.status, text: await response.text() };
};

(hasServers ? describe : describe.skip)(hasServers ? title : `${title}: it needs Postgres, NATS and MinIO`, () => {
  beforeAll(async () => {
    stack = await startKillable(starts as ServerStarts, { ATTACHE_MAX_BACKLOG: String(MAX_BACKLOG) });
    api = stack.hosted.api;
    sessionId = (await api.createSession()).session.id;
  });
  afterAll(() => stack?.stop(), 60_000);

  it('NATS: uploads continue up to the backlog, then BACKLOG_FULL; afterwards all of it is worked off [W13]', async () => {
    await stack.kill('nats');
    const accepted: string[] = [];
    for (let count = 0; count < MAX_BACKLOG; count += 1) {
      const { status, id } = await upload();
      expect(status).toBe(201);
      accepted.push(id);
    }
    const refused = await vi.waitFor(async () => {
      const answer = await upload();
      if (answer.status === 201) accepted.push(answer.id);
      expect(answer.status).toBe(503);
      return answer;
    }, WAIT);
    expect(refused.code).toBe('BACKLOG_FULL');
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(await readiness()).toMatchObject({ status: 503, text: expect.stringMatching(/^event-bus failed/m) });
    await stack.revive('nats');
    for (const id of accepted) expect((await api.inspected(id)).status).toBe('ready');
    await vi.waitFor(async () => expect((await upload()).status).toBe(201), WAIT);
    await vi.waitFor(async () => expect((await readiness()).status).toBe(200), WAIT);
  });

  it('the store: nothing is acknowledged, and refusals come before the body is read; afterwards it works by itself [W14]', async () => {
    await stack.kill('minio');
    const { status, code } = await upload();
    expect([status, code]).toEqual([503, 'STORAGE_UNAVAILABLE']);
    await vi.waitFor(async () => {
      expect((await upload()).code).toBe('STORAGE_UNAVAILABLE');
      expect(await readiness()).toMatchObject({ text: expect.stringMatching(/^blob-store failed/m) });
    }, WAIT);
    await stack.revive('minio');
    const id = await vi.waitFor(async () => {
      const answer = await upload();
      expect(answer.status).toBe(201);
      return answer.id;
    }, WAIT);
    const { items } = (await api.call<{ items: { id: string }[] }>('GET', `/sessions/${sessionId}/attachments`)).body;
    expect(items.map((item) => item.id)).toContain(id);
    // Also what was accepted before, and could not be inspected while the store was away.
    for (const item of items) expect((await api.inspected(item.id)).status, item.id).toBe('ready');
  });

  it('Postgres: 503 for everything, and a turn that was under way ends well afterwards [W15]', async () => {
    const { session, agent } = await api.createSession();
    const { deliveries } = await api.send(session.id, { to: [agent.id], text: 'example: slow 1500' });
    await api.reached(deliveries[0].id, 'written');
    await stack.kill('postgres');
    const { status, code } = await upload();
    expect([status, code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    expect(await readiness()).toMatchObject({ status: 503, text: expect.stringMatching(/^database failed/m) });
    // The agent answers meanwhile.
    await new Promise((wake) => setTimeout(wake, 2_500));
    await stack.revive('postgres');
    await vi.waitFor(async () => expect((await readiness()).status).toBe(200), WAIT);
    expect((await api.settled(deliveries[0].id)).status).toBe('responded');
    const events = await api.events(session.id);
    expect(events.filter(({ kind }) => kind === 'delivery.responded')).toHaveLength(1);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });
});
