import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveHttp } from './serve.ts';

const REQUEST = 'GET / HTTP/1.1\r\nhost: attache\r\nconnection: close\r\n\r\n';

const serve = (idleMs: number, answerAfterMs = 0, maxConnections = 100) =>
  serveApp(() => pause(answerAfterMs, new Response('an answer')), { idleMs, maxConnections });

async function serveApp(
  fetch: (request: Request) => Promise<Response>,
  { idleMs = 60_000, maxConnections = 100 } = {},
) {
  const limits = { headersMs: 100, idleMs, lookMs: 20, maxConnections };
  const server = await serveHttp({ fetch }, { host: '127.0.0.1', port: 0 }, limits);
  onTestFinished(() => server.stop());
  return async (): Promise<Socket> => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
}

/** Its headers never end; answers when the server has ended that. */
async function waitForSlowOne(open: () => Promise<Socket>): Promise<string> {
  const slow = await open();
  slow.write('GET / HTTP/1.1\r\nx-slow: ');
  return text(slow);
}

describe('a connection', () => {
  it('that was opened and not used yet outlives slow headers, and is answered when it is used [S15]', async () => {
    const open = await serve(60_000);
    const unused = await open();
    expect(await waitForSlowOne(open)).toMatch(/^HTTP\/1\.1 408 /);
    unused.write(REQUEST);
    const answer = await text(unused);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('an answer');
  });

  it('that was unused for long waits for an answer as any other does', async () => {
    const open = await serve(200, 1_000);
    const unused = await open();
    await waitForSlowOne(open);
    unused.write(REQUEST);
    expect(await text(unused)).toContain('an answer');
  });

  it('that is never used is closed without a word', async () => {
    const unused = await (await serve(200))();
    expect(await text(unused)).toBe('');
  });

  it('beyond the most there may be makes the one that is unused for longest go [BX-32]', async () => {
    const open = await serve(60_000, 0, 2);
    const [oldest, second] = [await open(), await open()];
    const newest = await open();
    expect(await text(oldest)).toBe('');
    for (const socket of [second, newest]) {
      socket.write(REQUEST);
      expect(await text(socket)).toContain('an answer');
    }
  });

  it('beyond the most there may be is closed itself while all others wait for answers [BX-32]', async () => {
    const bothBegun = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    let begun = 0;
    const fetch = async () => {
      begun += 1;
      if (begun === 2) bothBegun.resolve();
      await answered.promise;
      return new Response('an answer');
    };
    const open = await serveApp(fetch, { maxConnections: 2 });
    const busy = [await open(), await open()];
    for (const socket of busy) socket.write(REQUEST);
    const answers = Promise.all(busy.map((socket) => text(socket)));
    await bothBegun.promise;
    expect(await text(await open())).toBe('');
    answered.resolve();
    expect(await answers).toEqual([expect.stringContaining('an answer'), expect.stringContaining('an answer')]);
  });

  it('that sends requests ahead of their answers has one under way at a time, in their order [BX-32]', async () => {
    let most = 0;
    let running = 0;
    const open = await serveApp(async (request) => {
      running += 1;
      most = Math.max(most, running);
      await nextTurn();
      running -= 1;
      return new Response(`<${new URL(request.url).pathname}>`);
    });
    const socket = await open();
    const asked = Array.from({ length: 20 }, (_, index) => `/${index}`);
    const head = (path: string) => `GET ${path} HTTP/1.1\r\nhost: attache\r\n`;
    socket.write(asked.map((path) => `${head(path)}\r\n`).join(''));
    socket.write(`${head('/last')}connection: close\r\n\r\n`);
    expect((await text(socket)).match(/<[^>]+>/g)).toEqual([...asked, '/last'].map((path) => `<${path}>`));
    expect(most).toBe(1);
  });

  it('with a request under way is not taken for unused when the one before it is answered [BX-32]', async () => {
    const answered = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const fetch = async (request: Request) => {
      if (new URL(request.url).pathname === '/first') return new Response('first');
      begun.resolve();
      await answered.promise;
      return new Response('second');
    };
    const open = await serveApp(fetch, { maxConnections: 2 });
    const busy = await open();
    const head = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: attache\r\n${more}\r\n`;
    busy.write(`${head('/first')}${head('/second', 'connection: close\r\n')}`);
    const said = text(busy);
    await begun.promise;
    for (let count = 0; count < 5; count += 1) await open();
    answered.resolve();
    expect(await said).toContain('second');
  });

  it('that sends hundreds of requests ahead of an answer is closed [BX-32]', async () => {
    let begun = 0;
    const open = await serveApp(async () => {
      begun += 1;
      return new Promise<Response>(() => {});
    });
    const socket = await open();
    socket.on('error', () => {}).resume();
    socket.write('GET / HTTP/1.1\r\nhost: attache\r\n\r\n'.repeat(300));
    await once(socket, 'close');
    expect(begun).toBe(1);
  });

  it('that brings headers beyond their limit gets a 431 and is closed', async () => {
    const socket = await (await serve(60_000))();
    socket.write(`GET / HTTP/1.1\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(await text(socket)).toBe('HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n');
  });

  it.each([
    ['what is no HTTP', 'what?\r\n\r\n'],
    ['an address that is not ASCII', 'GET /é HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a Host that is none', 'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n'],
  ])('that brings %s gets a problem and is closed', async (_, bytes) => {
    const socket = await (await serve(60_000))();
    socket.write(bytes);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 Bad Request\r\n[\s\S]*content-type: application\/problem\+json/i);
    expect(JSON.parse(body)).toMatchObject({ code: 'INVALID_REQUEST', status: 400 });
  });
});
