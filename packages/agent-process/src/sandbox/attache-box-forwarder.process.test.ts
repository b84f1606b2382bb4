import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { client, shell, startBox } from './__fixtures__/start-box.ts';
import { whereNamespaced } from './__fixtures__/where-sandboxed.ts';

const isNamespaced = await whereNamespaced();
const PORT = 4101;
const WITHOUT_RIGHTS = ['setpriv', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'];

/** A folder of a test's own, and the path of a socket in it. */
function givenSocketPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'attache-box-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 's');
}

async function givenServer(onConnection: (socket: Socket, server: Server) => unknown): Promise<string> {
  const path = givenSocketPath();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    onConnection(socket, server);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return path;
}

const start = (name: string, path: string) =>
  startBox({ program: client(name, PORT, path), options: ['--forward', `${PORT}=${path}`] });

async function seenBy(name: string, path: string): Promise<unknown> {
  const { output, errors } = await start(name, path).ended;
  return output === '' ? errors : JSON.parse(output);
}

describe.runIf(isNamespaced)('the forwarder of a box [BX-22]', () => {
  it('passes 20 MB on in both directions, unchanged', async () => {
    const path = await givenServer((socket) => socket.pipe(socket));
    expect(await seenBy('echo-large', path)).toEqual({ sizeBytes: 20_000_000, isSame: true });
  });

  it('lets one side end while the other still speaks', async () => {
    const path = await givenServer(async (socket) => socket.end(`answer to ${await text(socket)}`));
    expect(await seenBy('end-first', path)).toBe('answer to question');
    let received: Promise<Buffer> | undefined;
    const speaker = await givenServer(async (socket) => {
      if (received) return socket.end(`${(await received).length} bytes`);
      received = buffer(socket.end('all said'));
    });
    expect(await seenBy('end-last', speaker)).toBe('all said, 1000000 bytes');
  });

  it('serves 100 connections at once', async () => {
    const waiting: Socket[] = [];
    // The server responds to no request before all have arrived.
    const path = await givenServer((socket) => {
      waiting.push(socket);
      if (waiting.length === 100) for (const each of waiting) each.pipe(each);
    });
    const expected = Array.from({ length: 100 }, (_, index) => `client ${index}`);
    expect(await seenBy('hundred-at-once', path)).toEqual(expected);
  });

  it('keeps little of what the other side does not take, and loses none of it', async () => {
    let receivedBytes = 0;
    let socket: Socket | undefined;
    const path = await givenServer((opened) => {
      opened.on('data', (chunk: Buffer) => {
        receivedBytes += chunk.length;
      });
      opened.on('end', () => opened.end(String(receivedBytes)));
      socket = opened.pause();
    });
    const box = start('stalled-server', path);
    await box.complained('stalled');
    socket?.resume();
    const seen = JSON.parse((await box.ended).output);
    expect(seen.answer).toBe(String(seen.sentBytes));
    expect(seen.residentKb).toBeLessThan(2_000);
  });

  it('closes what no server takes, and serves the next', async () => {
    expect(await seenBy('one-refused', givenSocketPath())).toEqual({ first: 'closed', second: 'closed' });
  });

  it('waits while the queue of the server is full', async () => {
    expect(await seenBy('full-queue', givenSocketPath())).toEqual(Array.from({ length: 20 }, () => 'served'));
  });

  it('has at most 1,024 connections; others wait until one ends', async () => {
    const path = await givenServer((socket, server) => {
      socket.write('hello');
      socket.on('data', () => server.getConnections((_, count) => socket.write(String(count))));
      socket.on('end', () => socket.end());
    });
    expect(await seenBy('more-than-allowed', path)).toEqual({ openCount: 1_024, servedCount: 1_100 });
  });

  it('comes back when the program kills it', async () => {
    const path = await givenServer((socket) => socket.pipe(socket));
    expect(await seenBy('killed-forwarder', path)).toEqual({ before: 'before', after: 'after', isAnother: true });
  });

  it('is there before the program, or there is no program', async () => {
    const taken = ['--forward', `${PORT}=/a`, '--forward', `${PORT}=/b`];
    expect(await startBox({ program: shell('echo ran'), options: taken }).ended).toMatchObject({
      exitCode: 125,
      status: { error: 'listen', errno: 'EADDRINUSE', port: PORT },
      output: '',
    });
    const options = ['--forward', `${PORT}=/a`];
    expect(await startBox({ program: shell('echo ran'), options, wrapper: WITHOUT_RIGHTS }).ended).toMatchObject({
      exitCode: 125,
      status: { error: 'loopback', errno: 'EPERM' },
      output: '',
    });
  });
});
