import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf, brokenBody, newKey, readAll } from '../../contract/contract-bodies.ts';
import { type HostileServer, startHostileServer } from '../__fixtures__/hostile-s3-server.ts';
import { createS3BlobStore, type S3BlobStore, type S3Options } from './blob-store.ts';

const idleTimeoutMs = 800;
const longPauseMs = 1700;
const megabyte = 1024 * 1024;
const secretKey = 'canary-secret-key';
const unavailable = { code: 'STORAGE_UNAVAILABLE', retryable: true };

let server: HostileServer;
let store: S3BlobStore;
const openStore = (changed: Partial<S3Options> = {}) =>
  createS3BlobStore({
    endpoint: server.endpoint,
    bucket: 'blobs',
    region: 'us-east-1',
    accessKey: 'canary-access-key',
    secretKey,
    idleTimeoutMs,
    ...changed,
  });

beforeEach(async () => {
  server = await startHostileServer();
  store = await openStore();
});
afterEach(async () => {
  await store.close();
  await server.close();
});

/** A body that counts what was read of it. */
function countedBody(sizeBytes: number) {
  const state = { readBytes: 0 };
  async function* read() {
    while (state.readBytes < sizeBytes) {
      const chunk = Buffer.alloc(Math.min(64 * 1024, sizeBytes - state.readBytes));
      state.readBytes += chunk.length;
      yield chunk;
    }
  }
  return { state, body: read() };
}

async function* bodyThatWaits() {
  yield Buffer.alloc(200_000);
  await new Promise(() => {});
}

describe('a server that fails during a put', () => {
  it.each([403, 500, 503, 507])('is left when it answers %i before it has the body [W14]', async (status) => {
    server.behave((_request, response) => response.writeHead(status, { connection: 'close' }).end());
    const { state, body } = countedBody(60 * megabyte);
    await expect(store.put(newKey(), body, { sizeBytes: 60 * megabyte })).rejects.toMatchObject(unavailable);
    expect(state.readBytes).toBeLessThan(60 * megabyte);
    await expect.poll(() => server.countConnections()).toBe(0);
  });

  it('is left even while the client sends nothing [W14]', async () => {
    server.behave((_request, response) => response.writeHead(503).end());
    await expect(store.put(newKey(), bodyThatWaits(), { sizeBytes: 300_000 })).rejects.toMatchObject(unavailable);
    await expect.poll(() => server.countConnections()).toBe(0);
  });

  it('does not pass for one that has stored when it answers 200 too early [W1]', async () => {
    server.behave((_request, response) => response.writeHead(200).end());
    await expect(store.put(newKey(), bodyThatWaits(), { sizeBytes: 300_000 })).rejects.toMatchObject(unavailable);
  });

  it.each(['takes no bytes', 'never answers'])('is given up when it %s [W14]', async (how) => {
    let letGo = () => {};
    server.behave((request) => {
      letGo = () => request.resume();
      if (how === 'never answers') letGo();
    });
    const put = store.put(newKey(), bodyOf(Buffer.alloc(30 * megabyte)), { sizeBytes: 30 * megabyte });
    await expect(put).rejects.toMatchObject({ ...unavailable, message: expect.stringContaining('ETIMEDOUT') });
    // A server that reads nothing does not see that the connection is closed.
    letGo();
    await expect.poll(() => server.countConnections()).toBe(0);
  });

  it('is not blamed for a client that pauses longer than its time limit', async () => {
    const key = newKey();
    async function* slowBody() {
      yield Buffer.alloc(100_000, 1);
      await new Promise((resolve) => setTimeout(resolve, longPauseMs));
      yield Buffer.alloc(100_000, 2);
    }
    expect(await store.put(key, slowBody(), { sizeBytes: 200_000 })).toEqual({ sizeBytes: 200_000 });
    expect(await store.head(key)).toEqual({ sizeBytes: 200_000 });
  });

  it.each([undefined, 3 * megabyte])(
    'closes the connection in the middle: %s bytes announced [W14]',
    async (sizeBytes) => {
      server.behave((request) => request.once('data', () => request.socket.destroy()));
      const put = store.put(newKey(), bodyOf(Buffer.alloc(3 * megabyte)), { sizeBytes });
      await expect(put).rejects.toMatchObject(unavailable);
    },
  );

  it('never has the last byte of a body that turns out wrong [W1 AT-05]', async () => {
    const tooLong = store.put(newKey(), bodyOf(Buffer.alloc(200_000), 100_000), { sizeBytes: 100_000 });
    await expect(tooLong).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    const error = new Error('the sha-256 is another one');
    const wrong = store.put(newKey(), brokenBody(Buffer.alloc(100_000), error), { sizeBytes: 100_000 });
    await expect(wrong).rejects.toBe(error);
    await expect.poll(() => server.countConnections()).toBe(0);
    expect(server.objects.size).toBe(0);
  });
});

describe('a server that fails to join the parts of a blob', () => {
  /** Takes parts and joins them without looking at the condition, and answers with `completion`. */
  function joinParts({ isTaken, completion }: { isTaken: boolean; completion: string }): string[] {
    const calls: string[] = [];
    server.behave((request, response) => {
      const query = new URL(request.url ?? '', server.endpoint).searchParams;
      const call = `${request.method}${query.has('uploads') ? ' uploads' : ''}${query.has('uploadId') ? ' upload' : ''}`;
      calls.push(call);
      request.resume().once('end', () => {
        if (call === 'HEAD') response.writeHead(isTaken ? 200 : 404).end();
        else if (call === 'POST uploads') response.end('<UploadId>a&amp;b</UploadId>');
        else if (call === 'POST upload') response.end(completion);
        else response.setHeader('etag', '"etag"').end();
      });
    });
    return calls;
  }

  it('by a server that ignores the condition, no blob is replaced [AT-05]', async () => {
    const calls = joinParts({ isTaken: true, completion: '' });
    const put = store.put(newKey(), bodyOf(Buffer.alloc(9 * megabyte)));
    await expect(put).rejects.toMatchObject({ code: 'UPLOAD_CONFLICT' });
    expect(calls).toEqual(['POST uploads', 'PUT upload', 'PUT upload', 'HEAD', 'DELETE upload']);
  });

  it('is not believed when it says 200 and means an error [W1]', async () => {
    joinParts({ isTaken: false, completion: '<Error><Code>InternalError</Code></Error>' });
    const put = store.put(newKey(), bodyOf(Buffer.alloc(9 * megabyte)));
    await expect(put).rejects.toMatchObject({ ...unavailable, message: expect.stringContaining('InternalError') });
  });
});

describe('a server that fails during a read', () => {
  it.each([
    ['closes the connection', (response: { destroy(): void }) => void response.destroy()],
    ['sends no more', () => {}],
  ])('is reported when it %s, and a copy leaves no file [AT-32]', async (_how, fail) => {
    server.behave((_request, response) => {
      response.writeHead(200, { 'content-length': 1_000_000 });
      response.write(Buffer.alloc(400_000), () => setTimeout(() => fail(response), 50));
    });
    await expect(readAll(store, newKey())).rejects.toMatchObject(unavailable);
    const folder = await mkdtemp(join(tmpdir(), 'attache-copy-'));
    await expect(store.copyToFile(newKey(), join(folder, 'copy'))).rejects.toMatchObject(unavailable);
    // So small a body is written at once.
    server.behave((_request, response) => {
      response.writeHead(200, { 'content-length': 200_000 });
      response.write(Buffer.alloc(80_000), () => setTimeout(() => fail(response), 50));
    });
    await expect(store.copyToFile(newKey(), join(folder, 'small'))).rejects.toMatchObject(unavailable);
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('is not given up while the reader takes its time, and is when it then sends nothing', async () => {
    let isStalled = false;
    server.behave((_request, response) => {
      response.writeHead(200, { 'content-length': 8 * megabyte });
      if (isStalled) response.write(Buffer.alloc(megabyte));
      else response.end(Buffer.alloc(8 * megabyte));
    });
    for (isStalled of [false, true]) {
      const stream = await store.get(newKey());
      await new Promise((resolve) => setTimeout(resolve, longPauseMs));
      const read = async () => {
        let sizeBytes = 0;
        for await (const chunk of stream) sizeBytes += chunk.length;
        return sizeBytes;
      };
      if (isStalled) await expect(read()).rejects.toMatchObject(unavailable);
      else expect(await read()).toBe(8 * megabyte);
    }
  });

  it('is refused when it ignores a range', async () => {
    const key = newKey();
    await store.put(key, bodyOf('0123456789'));
    await expect(store.get(key, { start: 2, end: 3 })).rejects.toMatchObject(unavailable);
  });

  it('loses the connection that a reader no longer wants', async () => {
    const key = newKey();
    server.objects.set(`/blobs/${key}`, Buffer.alloc(20 * megabyte));
    const stream = await store.get(key);
    for await (const _chunk of stream) break;
    await expect.poll(() => server.countConnections()).toBe(0);
  });
});

describe('a server that is down', () => {
  it('is refused before the body is read, until it works again [W14]', async () => {
    server.behave((_request, response) => response.writeHead(503).end());
    for (let count = 0; count < 5; count += 1) await expect(store.head(newKey())).rejects.toMatchObject(unavailable);
    const { state, body } = countedBody(100_000);
    const seenBefore = server.seen.length;
    const refused = store.put(newKey(), body, { sizeBytes: 100_000 });
    await expect(refused).rejects.toMatchObject({ ...unavailable, details: { retryAfterSeconds: 2 } });
    expect(state.readBytes).toBe(0);
    expect(server.seen).toHaveLength(seenBefore);
    // The probe fails, too: it stays closed to work.
    await expect.poll(() => server.seen.length).toBeGreaterThan(seenBefore);
    await expect(store.head(newKey())).rejects.toMatchObject({ details: { retryAfterSeconds: 2 } });
    server.behave(undefined);
    const key = newKey();
    await expect.poll(() => store.put(key, bodyOf('back')).catch(() => 'down')).toEqual({ sizeBytes: 4 });
    expect(server.objects.size).toBe(1);
  });

  it('does not count what clients do wrong', async () => {
    for (let count = 0; count < 8; count += 1) {
      await expect(store.put(newKey(), bodyOf('12'), { sizeBytes: 3 })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
      });
    }
    expect(await store.put(newKey(), bodyOf('123'), { sizeBytes: 3 })).toEqual({ sizeBytes: 3 });
  });

  it('is reported at once where nothing listens [W14]', async () => {
    await server.close();
    const put = store.put(newKey(), bodyOf('x'), { sizeBytes: 1 });
    await expect(put).rejects.toMatchObject({ ...unavailable, message: expect.stringContaining('ECONNREFUSED') });
    await expect(store.checkReady()).rejects.toMatchObject(unavailable);
  });
});

describe('start-up check', () => {
  const check = () => store.checkServer();
  const invalid = (text: string) => ({ code: 'CONFIGURATION_INVALID', message: expect.stringContaining(text) });

  it('refuses a server that accepts everything', async () => {
    await expect(check()).rejects.toMatchObject(invalid('uploads that nobody signed'));
    expect(server.objects.size).toBe(0);
  });

  it('refuses a server that ignores the condition of a put [AT-05]', async () => {
    await server.close();
    server = await startHostileServer({ ignoresCondition: true });
    await store.close();
    store = await openStore();
    await expect(check()).rejects.toMatchObject(invalid('If-None-Match'));
    expect(server.objects.size).toBe(0);
  });

  it.each([
    ['a wrong signature', 'uploads with a wrong signature', /X-Amz-Signature=0{64}/],
    ['unsigned chunked uploads', 'chunked uploads that nobody signed', /^[^?]*$/],
  ])('refuses a server that accepts %s', async (_what, words, accepted) => {
    const taken = new Set<string>();
    server.behave((request, response) => {
      const [path = '', query = ''] = (request.url ?? '').split('?');
      const isForged = query === '' || /X-Amz-Signature=0{64}/.test(query);
      const isLetIn = accepted.test(request.url ?? '') && (query !== '' || 'x-amz-trailer' in request.headers);
      if (isForged && !isLetIn) return void response.writeHead(403).end();
      if (request.method === 'PUT' && taken.has(path)) return void response.writeHead(412).end();
      taken.add(path);
      request.resume().once('end', () => response.writeHead(request.method === 'DELETE' ? 204 : 200).end());
    });
    await expect(check()).rejects.toMatchObject(invalid(words));
  });

  describe('of a server that takes chunked uploads without looking at the signature in the URL', () => {
    beforeEach(() => {
      const taken = new Set<string>();
      server.behave((request, response) => {
        const [path = '', query = ''] = (request.url ?? '').split('?');
        const isChunked = 'x-amz-trailer' in request.headers;
        const isForged = query === '' || (/X-Amz-Signature=0{64}/.test(query) && !isChunked);
        if (isForged) return void response.writeHead(403).end();
        if (request.method === 'PUT' && taken.has(path)) return void response.writeHead(412).end();
        taken.add(path);
        request.resume().once('end', () => response.writeHead(request.method === 'DELETE' ? 204 : 200).end());
      });
    });

    it('warns where only services reach it', async () => {
      const { warnings } = await check();
      expect(warnings).toEqual([expect.stringContaining('CVE-2026-41145')]);
    });

    it('refuses where clients reach it: presigned URLs tell them the access key id', async () => {
      const open = await openStore({ publicEndpoint: server.endpoint });
      await expect(open.checkServer()).rejects.toMatchObject(invalid('ATTACHE_S3_PUBLIC_ENDPOINT'));
      await open.close();
    });

    it('warns where the public address refuses such uploads', async () => {
      const proxy = await startHostileServer();
      proxy.behave((_request, response) => response.writeHead(403).end());
      const guarded = await openStore({ publicEndpoint: proxy.endpoint });
      expect((await guarded.checkServer()).warnings).toHaveLength(1);
      await guarded.close();
      await proxy.close();
    });
  });

  it.each([
    [-20, 'behind'],
    [20, 'ahead of'],
  ])('names the clock where the server is %i minutes off', async (minutes, side) => {
    server.behave((_request, response) => {
      response.setHeader('date', new Date(Date.now() + minutes * 60_000).toUTCString());
      response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>');
    });
    await expect(check()).rejects.toMatchObject(invalid(`20 minutes ${side} the clock of this machine`));
  });

  it('is one sentence without a credential or a signature, whatever the server says [S27]', async () => {
    server.behave((request, response) => response.writeHead(418).end(`<Code>Teapot</Code>${request.url}`));
    const failure = await check().catch((error: Error) => error);
    expect(failure).toMatchObject(invalid('cannot store and remove an object (418 Teapot)'));
    expect(String(failure)).not.toMatch(/canary|X-Amz/);
  });
});
