import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { listBoxes } from './reach-box.ts';

const LARGE_BYTES = 20_000_000;
const STALL_MS = 500;

export type Client = (port: number, path: string) => Promise<unknown>;

/** Clients behind the forwarder of a box; each returns its observations. */
export const clients: Record<string, Client> = {
  'echo-large': echoLarge,
  'end-first': (port) => echo(port, 'question'),
  'end-last': endLast,
  'hundred-at-once': (port) => Promise.all(Array.from({ length: 100 }, (_, index) => echo(port, `client ${index}`))),
  'one-refused': async (port) => ({ first: await outcome(port), second: await outcome(port) }),
  'stalled-server': stall,
  'full-queue': fillQueue,
  'more-than-allowed': exceed,
  'killed-forwarder': killForwarder,
};

function open(port: number): Socket {
  return connect({ port, host: '127.0.0.1', allowHalfOpen: true });
}

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function echo(port: number, words: string): Promise<string> {
  return text(open(port).end(words));
}

async function echoLarge(port: number) {
  const sent = randomBytes(LARGE_BYTES);
  const socket = open(port);
  socket.end(sent);
  const received = await buffer(socket);
  return { sizeBytes: received.length, isSame: digestOf(sent) === digestOf(received) };
}

// The server has sent everything before it gets anything. It confirms on a second connection when it has everything: the box ends with its program.
async function endLast(port: number) {
  const socket = open(port);
  const heard = await text(socket);
  socket.end(randomBytes(1_000_000));
  await once(socket, 'close');
  return `${heard}, ${await text(open(port))}`;
}

async function outcome(port: number): Promise<string> {
  const socket = open(port);
  const errors: string[] = [];
  socket.on('error', (error) => errors.push(error.message)).resume();
  socket.on('end', () => socket.end());
  await Promise.all([once(socket, 'connect'), once(socket, 'close')]);
  return errors.join() || 'closed';
}

async function stall(port: number) {
  const socket = open(port);
  const chunk = Buffer.alloc(1_000_000);
  let sentBytes = 0;
  for (let isMoving = true; isMoving; sentBytes += chunk.length) {
    const drained = new Promise<boolean>((resolve) => socket.write(chunk, () => resolve(true)));
    isMoving = await Promise.race([drained, wait(STALL_MS, false)]);
  }
  const [, forwarder = ''] = listBoxes();
  const [, residentKb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${forwarder}/status`, 'utf8')) ?? [];
  process.stderr.write('stalled\n');
  socket.end();
  return { sentBytes, residentKb: Number(residentKb), answer: await text(socket) };
}

// The server is this very process, which takes nothing in while it sleeps.
async function fillQueue(port: number, path: string) {
  const server = createServer((socket) => socket.end('served'));
  server.listen({ path, backlog: 1 });
  await once(server, 'listening');
  const sockets = Array.from({ length: 20 }, () => open(port));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS);
  const heard = await Promise.all(sockets.map((socket) => text(socket)));
  for (const socket of sockets) socket.end();
  server.close();
  return heard;
}

async function exceed(port: number) {
  const sockets = Array.from({ length: 1_100 }, () => open(port));
  let servedCount = 0;
  const isFull = Promise.withResolvers<void>();
  const isDone = Promise.withResolvers<void>();
  for (const socket of sockets) {
    socket.once('data', () => {
      servedCount += 1;
      if (servedCount === 1_024) isFull.resolve();
      if (servedCount === sockets.length) isDone.resolve();
    });
  }
  await Promise.all([isFull.promise, ...sockets.map((socket) => once(socket, 'connect'))]);
  const served = sockets.find((socket) => socket.bytesRead > 0);
  if (served === undefined) return 'none is served';
  // When the response comes, the forwarder has looked at its port again.
  served.write('count');
  const openCount = Number(String(await once(served, 'data')));
  for (const socket of sockets) if (socket.bytesRead > 0) socket.destroy();
  await isDone.promise;
  for (const socket of sockets) socket.destroy();
  return { openCount, servedCount };
}

async function killForwarder(port: number) {
  const before = await echo(port, 'before');
  const [, forwarder] = listBoxes();
  process.kill(Number(forwarder), 'SIGKILL');
  // Clients wait at the port, which stays open.
  const after = await echo(port, 'after');
  return { before, after, isAnother: listBoxes()[1] !== forwarder };
}
