// hosted: long – each process counts by the same code
// embedded: long – it counts on a stack of its own
import { randomBytes } from 'node:crypto';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';

let stack: OwnStack;
beforeAll(async () => {
  stack = await openOwnStack({ logLevel: 'trace' });
});
afterAll(() => stack.stop());

/** The sum of all series of one metric whose labels hold these; undefined if there is none. */
function sumOf(text: string, metric: string, labels: Record<string, string> = {}): number | undefined {
  const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `))
    .filter((line) => wanted.every((label) => line.includes(label)));
  if (lines.length === 0) return undefined;
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

async function deliverOne(): Promise<void> {
  const { api } = stack;
  const { session, agent } = await api.createSession();
  const { attachment } = await api.upload(session.id, makePng(24, 24));
  await api.inspected(attachment.id);
  // It goes as UTF-8, which is to be made first.
  const words = new Uint8Array(Buffer.from('\ufeffwords', 'utf16le'));
  const { attachment: text } = await api.upload(session.id, words, { name: 'a.txt', type: 'text/plain' });
  const draft = { to: [agent.id], text: 'look', attachmentIds: [attachment.id, text.id] };
  const { deliveries } = await api.send(session.id, draft);
  expect((await api.settled(deliveries[0].id)).status).toBe('responded');
}

describe('/metrics', () => {
  it('is in the Prometheus text format: every line is a comment or a sample', async () => {
    const response = await fetch(`${stack.opsUrl}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    const sample = /^[a-z_][a-z0-9_]*(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? (NaN|[+-]?Inf|[\d.e+-]+)$/;
    expect(lines.filter((line) => !line.startsWith('# ') && !sample.test(line))).toEqual([]);
  });

  it('counts rate, errors and duration of each route', async () => {
    const { api, watch } = stack;
    const { session } = await api.createSession();
    const count = 'http_server_request_duration_seconds_count';
    const labels = { route: '/sessions/{sessionId}', method: 'GET' };
    const before = await watch.metrics();
    await api.call('GET', `/sessions/${session.id}`);
    await api.call('GET', `/sessions/${session.id}`, { credential: null });
    await api.call('GET', '/no-such-route');
    const after = await watch.metrics();
    const rise = (of: Record<string, string>) => (sumOf(after, count, of) ?? 0) - (sumOf(before, count, of) ?? 0);
    expect(rise({ ...labels, status: '2xx' })).toBe(1);
    expect(rise({ ...labels, status: '4xx' })).toBe(1);
    expect(rise({ route: 'none', status: '4xx' })).toBe(1);
    const denials = (text: string) => sumOf(text, 'attache_authz_denials_total', { code: 'UNAUTHENTICATED' }) ?? 0;
    expect(denials(after) - denials(before)).toBe(1);
  });

  it('counts uploads whose key was reserved in advance, which are refused like others [AT-15]', async () => {
    const { api, watch } = stack;
    const { session } = await api.createSession();
    const upload = (id: string) =>
      api.call<{ code?: string }>('PUT', `/sessions/${id}/attachments`, { raw: Uint8Array.from(randomBytes(100)) });
    const readPooled = async () =>
      sumOf(await watch.metrics(), 'attache_upload_reservations_total', { way: 'pool' }) ?? 0;
    const before = await readPooled();
    const uploadOnce = async () => {
      expect((await upload(session.id)).status).toBe(201);
      return (await readPooled()) - before;
    };
    await expect.poll(uploadOnce, { timeout: 60_000, interval: 10 }).toBeGreaterThanOrEqual(2);
    await api.call('POST', `/sessions/${session.id}/end`);
    const refused = [await upload(session.id), await upload('ses_AAAAAAAAAAAAAAAAAAAAAA')];
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
      [409, 'SESSION_ENDED'],
      [404, 'SESSION_NOT_FOUND'],
    ]);
  });

  it('counts an attachment on its whole way, with the times of its stages', async () => {
    const { watch } = stack;
    const before = await watch.metrics();
    await deliverOne();
    const expected: [metric: string, labels: Record<string, string>][] = [
      ['attache_uploads_total', { outcome: 'accepted' }],
      ['attache_inspections_total', { status: 'ready', kind: 'image' }],
      ['attache_inspections_total', { status: 'ready', kind: 'text' }],
      ['attache_messages_total', { outcome: 'accepted' }],
      ['attache_deliveries_total', { status: 'prepared' }],
      ['attache_deliveries_total', { status: 'claimed' }],
      ['attache_deliveries_total', { status: 'written' }],
      ['attache_deliveries_total', { status: 'responded' }],
      ['attache_agents_total', { event: 'started' }],
      ['att_delivery_duration_seconds_count', { status: 'responded' }],
      ...['store', 'inspect', 'prepare', 'agent-start', 'materialise', 'turn'].map(
        (stage): [string, Record<string, string>] => ['att_stage_duration_seconds_count', { stage }],
      ),
    ];
    await vi.waitFor(async () => {
      const after = await watch.metrics();
      const unmoved = expected.filter(
        ([metric, labels]) => (sumOf(after, metric, labels) ?? 0) <= (sumOf(before, metric, labels) ?? 0),
      );
      expect(unmoved).toEqual([]);
    }, 60_000);
  });

  it('counts what is refused, blocked and taken out, by code', async () => {
    const { api, watch } = stack;
    const { session, agent } = await api.createSession();
    const empty = await api.call('PUT', `/sessions/${session.id}/attachments?name=a.png`, {
      raw: new Uint8Array(0),
      headers: { 'content-type': 'image/png' },
    });
    expect(empty.status).toBe(400);
    const archive = new Uint8Array(Buffer.from('PK\u0003\u0004 and so on'));
    const { attachment } = await api.upload(session.id, archive, { name: 'a.zip', type: 'application/zip' });
    await api.inspected(attachment.id);
    const draft = { to: [agent.id], text: 'look', attachmentIds: [attachment.id] };
    expect((await api.call('POST', `/sessions/${session.id}/messages`, { body: draft })).status).toBe(422);
    const { deliveries } = await api.send(session.id, { to: [agent.id], text: 'example: emit-base64' });
    await api.settled(deliveries[0].id);
    await vi.waitFor(async () => {
      const text = await watch.metrics();
      expect(sumOf(text, 'attache_uploads_total', { outcome: 'refused', code: 'NO_FILE' })).toBe(1);
      expect(sumOf(text, 'attache_messages_total', { outcome: 'blocked' })).toBeGreaterThan(0);
      expect(sumOf(text, 'attache_stripped_bytes_total')).toBeGreaterThan(0);
    }, 60_000);
  });

  it('shows backlog, dead letters and the process itself', async () => {
    await vi.waitFor(async () => {
      const text = await stack.watch.metrics();
      expect(sumOf(text, 'attache_outbox_messages', { state: 'waiting' })).toBe(0);
      expect(sumOf(text, 'attache_outbox_oldest_age_seconds')).toBe(0);
      expect(sumOf(text, 'attache_dead_letters')).toBe(0);
      expect(sumOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
      expect(sumOf(text, 'process_cpu_seconds_total')).toBeGreaterThan(0);
      expect(sumOf(text, 'nodejs_eventloop_lag_p99_seconds')).toBeDefined();
    }, 60_000);
  });

  it('has no ids, names or tenants among its labels, and no series of overflow', async () => {
    const text = await stack.watch.metrics();
    const values = [...text.matchAll(/[a-z_]+="([^"]*)"/g)].map(([, value]) => String(value));
    expect(new Set(values).size).toBeGreaterThan(20);
    expect(values.filter((value) => /(^|\/)(ses|att|msg|dlv|agt)_|[0-9a-f]{8}-|agent-1|file\.png/.test(value))).toEqual(
      [],
    );
    expect(text).not.toContain('otel_metric_overflow');
  });
});

it('a refused upload is logged with the id of its session and the bytes of its own body', async () => {
  const { api } = stack;
  const { session } = await api.createSession();
  const wrong = { 'repr-digest': `sha-256=:${Buffer.alloc(32).toString('base64')}:` };
  const sizes = [70_000, 300];
  for (const sizeBytes of sizes) {
    const path = `/sessions/${session.id}/attachments?name=a.bin`;
    const refused = await api.call('PUT', path, { raw: new Uint8Array(sizeBytes), headers: wrong });
    expect(refused).toMatchObject({ status: 422, body: { code: 'CHECKSUM_MISMATCH' } });
  }
  const readRefused = () =>
    stack.watch
      .logs()
      .split('\n')
      .filter((line) => line.includes('"upload.refused"') && line.includes(session.id))
      .map((line) => JSON.parse(line).sizeBytes);
  await expect.poll(readRefused, { timeout: 60_000 }).toEqual(sizes);
});
