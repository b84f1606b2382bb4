import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveHttp } from './serve.ts';

const REQUEST = 'GET / HTTP/1.1\r\nhost: attache\r\nconnection: close\r\n\r\n';

async function serve(idleMs: number, answerAfterMs = 0, maxConnections = 100) {
  const app = { fetch: () => pause(answerAfterMs, new Response('an answer')) };
  const limits = { headersMs: 100, idleMs, lookMs: 20, maxConnections };
  const server = await serveHttp(app, { host: '127.0.0.1', port: 0 }, limits);
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

  it('beyond the most there may be is closed at once, and those before it are served', async () => {
    const open = await serve(60_000, 0, 2);
    const [first, second] = [await open(), await open()];
    expect(await text(await open())).toBe('');
    for (const socket of [first, second]) {
      socket.write(REQUEST);
      expect(await text(socket)).toContain('an answer');
    }
    const next = await open();
    next.write(REQUEST);
    expect(await text(next)).toContain('an answer');
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
