import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import type { Attachment } from '@attache/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ResolveError, ToolContextUnavailableError } from './errors.ts';
import { createToolContext } from './tool-context.ts';

const id = 'att_AAAAAAAAAAAAAAAAAAAAAA';
const variantId = 'var_AAAAAAAAAAAAAAAAAAAAAA';
const unknownId = 'att_BBBBBBBBBBBBBBBBBBBBBA';
const refusedId = 'att_CCCCCCCCCCCCCCCCCCCCCA';
const attachment: Attachment = {
  id,
  sessionId: 'ses_AAAAAAAAAAAAAAAAAAAAAA',
  name: 'a.png',
  mimeType: 'image/png',
  kind: 'image',
  size: 3,
  sizeBytes: 3,
  sha256: 'a'.repeat(64),
  origin: 'upload',
  status: 'ready',
  facts: {},
  variants: [],
  warnings: [],
  createdAt: '2026-11-21T00:00:00.000Z',
  schemaVersion: 1,
};

type Call = { line: string; headers: IncomingMessage['headers']; body: string };

let folder: string;
let socketPath: string;
let server: Server;
let calls: Call[];

function answer(response: ServerResponse, status: number, body: unknown): void {
  const type = status < 300 ? 'application/json' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body));
}

function problem(code: string) {
  return { type: 'about:blank', title: 't', status: 400, code, detail: 'Do this.', retryable: true, requestId: 'r' };
}

/** The routes of a gateway's agent socket, with one attachment behind them. */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const line = `${request.method} ${request.url}`;
  calls.push({ line, headers: request.headers, body: await text(request) });
  switch (line) {
    case 'GET /agent/attachments':
      return answer(response, 200, { items: [attachment] });
    case `GET /agent/attachments/${id}`:
      return answer(response, 200, { attachment, displayUrl: 'https://a/raw?sig=1' });
    case `GET /agent/attachments/${refusedId}`:
      return answer(response, 200, { attachment: { ...attachment, id: refusedId, status: 'rejected' } });
    case `GET /agent/attachments/${id}/bytes`:
    case `GET /agent/attachments/${id}/bytes?variant=${variantId}`:
      return void response.writeHead(200).end('abc');
    case `POST /agent/attachments/${id}/file`:
      return answer(response, 200, { path: '/home/agent/files/a.png' });
    case 'POST /agent/outputs?name=a+b.png':
      return answer(response, 201, {
        attachmentId: unknownId,
        displayUrl: 'u',
        name: 'a b.png',
        mimeType: 'image/png',
      });
    case 'POST /agent/outputs?name=full':
      return answer(response, 429, problem('QUOTA_EXCEEDED'));
    default:
      return answer(response, 404, problem('ATTACHMENT_NOT_FOUND'));
  }
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'attache-kit-'));
  socketPath = path.join(folder, 's');
  server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  calls = [];
});

const context = () => createToolContext({ ATTACHE_AGENT_SOCKET: socketPath, ATTACHE_AGENT_TOKEN: 'ata_t' });

describe('outside an agent', () => {
  it('is not available and refuses every call by a typed error [AT-13]', async () => {
    for (const environment of [{}, { ATTACHE_AGENT_SOCKET: socketPath }, { ATTACHE_AGENT_TOKEN: 't' }]) {
      const tools = createToolContext(environment);
      expect(tools.available).toBe(false);
      await expect(tools.resolve(id)).rejects.toThrow(ToolContextUnavailableError);
      await expect(tools.list()).rejects.toThrow(ToolContextUnavailableError);
      const output = { bytes: Buffer.of(1), name: 'a', mimeType: 'text/plain' };
      await expect(tools.withTrace({ traceparent: '00' }).putOutput(output)).rejects.toThrow(
        ToolContextUnavailableError,
      );
    }
  });

  it('says so when the gateway is gone [AT-13]', async () => {
    const tools = createToolContext({ ATTACHE_AGENT_SOCKET: path.join(folder, 'none'), ATTACHE_AGENT_TOKEN: 't' });
    await expect(tools.list()).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID', retryable: true });
    await expect(tools.list()).rejects.toThrow(ToolContextUnavailableError);
  });
});

describe('inside an agent', () => {
  it('lists what is granted, with its token and trace [AT-13 BX-12]', async () => {
    const tools = context();
    expect(tools.available).toBe(true);
    expect(await tools.withTrace({ traceparent: '00-a-b-01' }).list()).toEqual([attachment]);
    expect(calls[0]?.headers).toMatchObject({ authorization: 'Bearer ata_t', traceparent: '00-a-b-01' });
  });

  it('resolves an id to bytes, stream, path and url, and to no base64 [AT-11 AT-32]', async () => {
    const handle = await context().resolve(id);
    expect(handle.attachment).toEqual(attachment);
    expect((await handle.bytes()).toString()).toBe('abc');
    expect((await buffer(await handle.stream({ variant: variantId }))).toString()).toBe('abc');
    expect(await handle.localPath()).toBe('/home/agent/files/a.png');
    expect(handle.url()).toBe('https://a/raw?sig=1');
    expect(Object.keys(handle).sort()).toEqual(['attachment', 'bytes', 'displayUrl', 'localPath', 'stream', 'url']);
    expect(calls.at(-1)?.line).toBe(`POST /agent/attachments/${id}/file`);
  });

  it('has no URL of a file that was refused [DL-43]', async () => {
    const handle = await context().resolve(refusedId);
    expect(handle.displayUrl).toBeUndefined();
    expect(() => handle.url()).toThrow(ResolveError);
  });

  it('throws a resolve error for an id that names nothing, and asks nobody about what is no id [AT-12]', async () => {
    await expect(context().resolve(unknownId)).rejects.toThrow(ResolveError);
    expect(calls).toHaveLength(1);
    for (const wrong of ['', '../outputs', `${id}/bytes`, id.toUpperCase()]) {
      await expect(context().resolve(wrong)).rejects.toMatchObject({
        attachmentId: wrong,
        code: 'ATTACHMENT_NOT_FOUND',
      });
    }
    expect(calls).toHaveLength(1);
  });

  it('stores an output from bytes, a path or a stream [AT-33]', async () => {
    const file = path.join(folder, 'out.png');
    await writeFile(file, 'from a path');
    const common = { name: 'a b.png', mimeType: 'image/png' };
    const stored = await context().putOutput({ ...common, bytes: Buffer.from('from bytes') });
    await context().putOutput({ ...common, path: file });
    await context().putOutput({ ...common, stream: Readable.from(['from ', 'a stream']) });
    expect(stored).toEqual({ attachmentId: unknownId, displayUrl: 'u', name: 'a b.png', mimeType: 'image/png' });
    expect(calls.map(({ body }) => body)).toEqual(['from bytes', 'from a path', 'from a stream']);
    expect(calls.map(({ headers }) => headers['content-length'])).toEqual(['10', '11', undefined]);
    expect(calls.every(({ headers }) => headers['content-type'] === 'image/png')).toBe(true);
  });

  it('throws the gateway’s own code and words', async () => {
    const storing = context().putOutput({ name: 'full', mimeType: 'text/plain', bytes: Buffer.of(1) });
    await expect(storing).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED', message: 'Do this.', retryable: true });
  });
});
