import { mkdtemp, rm } from 'node:fs/promises';
import { request as requestHttp } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ask, paths, startRelayed } from './__fixtures__/relayed.ts';
import type { OpenedRelay } from './relay-types.ts';

const HELD = 32;
const TRIED = 400;
const PORT_INSIDE = 8087;
const inTime = { timeout: 60_000 };

let folder: string;
let sockets: Socket[];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'attache-relay-'));
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await rm(folder, { recursive: true });
});

/** Opens connections that say nothing; answers how many of them the relay holds. */
async function exhaust({ baseUrl }: OpenedRelay): Promise<number> {
  let ended = 0;
  let opened = 0;
  for (let count = 0; count < TRIED; count += 1) {
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
    socket.once('connect', () => {
      opened += 1;
    });
    socket
      .on('error', () => {})
      .once('close', () => {
        ended += 1;
      });
    sockets.push(socket.resume());
  }
  await vi.waitUntil(() => opened === TRIED && ended >= TRIED - HELD, inTime);
  return TRIED - ended;
}

function askSocket(socketPath: string, baseUrl: string, token: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': token, host: `127.0.0.1:${PORT_INSIDE}` };
    const place = { socketPath, path: `${new URL(baseUrl).pathname}${paths.anthropic}` };
    const request = requestHttp({ ...place, method: 'POST', headers, agent: false });
    request.once('error', reject).once('response', (response) => resolve(response.resume().statusCode));
    request.end('{"model":"m"}');
  });
}

it('holds so many connections at its port and no more, keeps no agent from its own socket, and takes others again when they are gone [BX-24]', async () => {
  await using relayed = await startRelayed({ maxPortConnections: HELD });
  const [hostile, boxed] = [relayed.open(), relayed.open()];
  const socketPath = path.join(folder, 'boxed.relay');
  const boxedUrl = await boxed.listen(socketPath, PORT_INSIDE);
  expect(await exhaust(hostile)).toBe(HELD);
  await expect(ask(hostile)).rejects.toThrow();
  for (let turn = 0; turn < 3; turn += 1) expect(await askSocket(socketPath, boxedUrl, boxed.token)).toBe(200);
  for (const socket of sockets) socket.destroy();
  await vi.waitUntil(
    () =>
      ask(hostile).then(
        ({ status }) => status === 200,
        () => false,
      ),
    inTime,
  );
});
