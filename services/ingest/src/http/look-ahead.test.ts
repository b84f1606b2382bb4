import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { idFromUuid, type RouteName } from '@attache/contracts';
import type { LookAhead } from '@attache/database';
import type { Context } from 'hono';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBody } from './bytes/read-body.ts';
import type { HttpEnv } from './context.ts';
import { lookAheadOf } from './look-ahead.ts';

const [sessionId, agentId, attachmentId] = [randomUUID(), randomUUID(), randomUUID()];
const [agent, attachment] = [idFromUuid('agent', agentId), idFromUuid('attachment', attachmentId)];

type Seen = { ahead: LookAhead | undefined; body: string };

let route: RouteName = 'sendMessage';
let inPath: string = idFromUuid('session', sessionId);
let onSeen: (seen: Seen) => void;
let onLooked: () => void;
let port: number;

// The route reads its body after the look-up, as it does in the service.
const server = createServer(async (incoming, outgoing) => {
  const c = {
    env: { incoming, outgoing },
    req: { param: () => inPath },
    get: () => undefined,
  } as unknown as Context<HttpEnv>;
  const ahead = await lookAheadOf(c, route);
  onLooked();
  await nextTurn();
  const body = Buffer.concat(await Array.fromAsync(readBody(c))).toString();
  onSeen({ ahead, body });
  outgoing.end('seen');
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

/** Sends the first of these pieces, and the others once the server has looked ahead, over one connection. */
async function send(...pieces: string[]): Promise<Seen> {
  const seen = new Promise<Seen>((resolve) => {
    onSeen = resolve;
  });
  const looked = new Promise<void>((resolve) => {
    onLooked = resolve;
  });
  const socket = connect(port, '127.0.0.1');
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await looked;
    socket.write(piece);
  }
  const result = await seen;
  // Behind a `100 Continue`, if that was asked for.
  expect(await text(socket)).toContain('seen');
  return result;
}

const headOf = (body: string, more = '') =>
  `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${more}connection: close\r\n\r\n`;

const sendBody = (value: unknown) => {
  const body = typeof value === 'string' ? value : JSON.stringify(value);
  return send(headOf(body) + body);
};

it('names what a short message names that came with its headers, and leaves the body to the route', async () => {
  const body = JSON.stringify({ to: [agent, agent], text: 'hé', attachmentIds: [attachment] });
  const named = { sessionId, agentIds: [agentId], attachmentIds: [attachmentId] };
  expect(await send(headOf(body) + body)).toEqual({ ahead: { of: 'message', sessionId, named }, body });
  const bare = await sendBody({ to: [agent], text: 'hello' });
  expect(bare.ahead).toMatchObject({ named: { agentIds: [agentId], attachmentIds: [] } });
});

it('waits for no body that comes later, in pieces, without its length, or when it is asked for', async () => {
  const body = JSON.stringify({ to: [agent], text: 'hello' });
  const chunked = `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`;
  const inChunks = `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  for (const pieces of [
    [headOf(body), body],
    [headOf(body) + body.slice(0, 9), body.slice(9)],
    [chunked + inChunks],
    [headOf(body, 'expect: 100-continue\r\n') + body],
  ])
    expect(await send(...pieces)).toEqual({ ahead: undefined, body });
});

it.each([
  ['a long one', { to: [agent], text: 'x'.repeat(16 * 1024) }],
  ['one with files in it', { to: [agent], text: 'hello', attachments: [{ name: 'a', data: 'AAAA' }] }],
  ['no JSON', '{"to":'],
  ['a list', '[]'],
  ['null', 'null'],
  ['no list of agents', { to: agent, text: 'hello' }],
  ['ids of another kind', { to: [attachment], text: 'hello' }],
  ['ids that are none', { to: [agent], attachmentIds: ["'); drop table agent; --"] }],
  ['ids that are no texts', { to: [agent], attachmentIds: [{ id: attachment }] }],
])('leaves %s to the route', async (_, value) => {
  const { ahead, body } = await sendBody(value);
  expect(ahead).toBeUndefined();
  expect(body).toBe(typeof value === 'string' ? value : JSON.stringify(value));
});

it('looks into no body of another route, and nowhere without a session in the path', async () => {
  const body = { to: [agent], text: 'hello' };
  route = 'uploadRaw';
  expect((await sendBody(body)).ahead).toEqual({ of: 'upload', sessionId });
  route = 'createSession';
  expect((await sendBody(body)).ahead).toBeUndefined();
  [route, inPath] = ['sendMessage', 'ses_nothing'];
  expect((await sendBody(body)).ahead).toBeUndefined();
});
