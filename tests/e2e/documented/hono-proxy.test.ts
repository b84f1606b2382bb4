// hosted: long – a proxy is a client like any other
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Attachment, NewApiKey } from '@attache/contracts';
import { attacheProxy } from '@attache/example-hono-proxy';
import { serve } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

let stack: Stack;
let sessionId: string;
let proxy: Server;
let url: string;
/** Everything that a page received, as text. */
let seen = '';
beforeAll(async () => {
  stack = await openStack();
  sessionId = (await stack.api.createSession()).session.id;
  const app = attacheProxy({
    ...{ baseUrl: stack.api.url, key: stack.api.apiKey },
    authorize: () => ({
      ...{ sessionId, externalUserId: 'user-7' },
      rights: ['events:read', 'attachments:read', 'attachments:write', 'messages:send', 'urls:create'],
    }),
  });
  proxy = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  await once(proxy, 'listening');
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  await stack.stop();
});

/** As a page of the proxy's own origin. */
async function callAsPage(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, 'sec-fetch-site': 'same-origin' };
  const response = await fetch(`${url}${path}`, { ...init, headers });
  seen += [...response.headers].flat().join('\n');
  return response;
}

async function upload(bytes: Uint8Array<ArrayBuffer>, name: string) {
  const path = `/attache/v1/sessions/${sessionId}/attachments?name=${name}`;
  const headers = { 'content-type': 'application/octet-stream' };
  const response = await callAsPage(path, { method: 'PUT', headers, body: bytes });
  const text = await response.text();
  seen += text;
  expect(response.status, text).toBe(201);
  const uploaded: { attachment: Attachment; displayUrl: string } = JSON.parse(text);
  expect(response.headers.get('location')).toBe(`/attache/v1/attachments/${uploaded.attachment.id}`);
  return uploaded;
}

describe('a page behind the proxy', () => {
  it('uploads 20 MB, and reads a part of them by the signed URL', async () => {
    const bytes = randomBytes(20 * 1024 * 1024);
    const { attachment, displayUrl } = await upload(bytes, 'large.bin');
    expect(attachment.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect((await stack.api.inspected(attachment.id)).status).toBe('ready');
    const { pathname, search } = new URL(displayUrl);
    const range = { range: 'bytes=1000-1999' };
    const part = await fetch(`${url}/attache${pathname}${search}`, { headers: range });
    expect([part.status, part.headers.get('content-length')]).toEqual([206, '1000']);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1000, 2000))).toBe(true);
  });

  it('gets each event of its session when it happens', async () => {
    const controller = new AbortController();
    const headers = { accept: 'text/event-stream' };
    const { signal } = controller;
    const { body } = await callAsPage(`/attache/v1/sessions/${sessionId}/events`, { headers, signal });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const readUntil = async (part: string) => {
      while (!text.includes(part)) text += (await reader?.read())?.value ?? '';
    };
    await readUntil('session.created');
    const { attachment } = await upload(new TextEncoder().encode('a note'), 'note.txt');
    await readUntil(attachment.id);
    seen += text;
    controller.abort();
  });

  it('gets no file and no session of others', async () => {
    const { session } = await stack.api.createSession();
    const { attachment } = await stack.api.upload(session.id, new TextEncoder().encode('theirs'), {
      type: 'text/plain',
    });
    expect((await callAsPage(`/attache/v1/sessions/${session.id}`)).status).toBe(403);
    expect((await callAsPage(`/attache/v1/attachments/${attachment.id}`)).status).toBe(404);
  });

  it('gets the headers of its session by HEAD', async () => {
    const path = `/attache/v1/sessions/${sessionId}`;
    const head = await callAsPage(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-type')).toBe((await callAsPage(path)).headers.get('content-type'));
  });

  it('learns nothing of the rights that the key of the proxy lacks', async () => {
    const made = await stack.api.call<NewApiKey>('POST', '/keys', { body: { name: 'narrow', scopes: ['sessions'] } });
    expect(made.status).toBe(201);
    const faults: unknown[] = [];
    const app = attacheProxy({
      ...{ baseUrl: stack.api.url, key: made.body.secret, onFault: (fault) => faults.push(fault) },
      authorize: () => ({ sessionId, externalUserId: 'user-7', rights: ['overrides:manage'] }),
    });
    const headers = { 'sec-fetch-site': 'same-origin' };
    const response = await app.request(`/attache/v1/sessions/${sessionId}`, { headers });
    expect([response.status, await response.text()]).toEqual([502, expect.not.stringContaining('overrides:manage')]);
    expect(String(faults)).toMatch(/403.*overrides:manage/);
  });

  it('never sees a key or a token', () => {
    expect(seen).toContain('session.created');
    expect(seen).not.toContain(stack.api.apiKey);
    expect(seen).not.toMatch(/Bearer |ats_|authorization/i);
  });
});
