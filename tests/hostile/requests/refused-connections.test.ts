import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closing, filePart, formType } from '../fixtures/form.ts';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';
import { formatHead, openSocket, readAnswer } from '../fixtures/raw-http.ts';

/** How many refused bodies without a length are read of one tenant at the same time. */
const ROOM = 16;

let stack: HostileStack;
let endedSessionId: string;
beforeAll(async () => {
  stack = await startHostile({ environment: { ATTACHE_MAX_UPLOAD_BYTES: '100000' } });
  const { session } = await stack.api.createSession();
  await stack.api.call('POST', `/sessions/${session.id}/end`);
  endedSessionId = session.id;
});
afterAll(() => stack.stop());

const headOf = (method: string, sessionId: string, headers: string[], apiKey = stack.api.apiKey) =>
  formatHead(method, `/v1/sessions/${sessionId}/attachments`, apiKey, headers);

describe('a client that waits to be told to send', () => {
  const waiting = ['expect: 100-continue'];
  const raw = (bytes: number) => ['PUT', [...waiting, `content-length: ${bytes}`]] as const;
  const form = (bytes: number) => ['POST', [`content-type: ${formType}`, ...raw(bytes)[1]]] as const;
  const chunked = ['PUT', [...waiting, 'transfer-encoding: chunked']] as const;

  /** Sends the head and nothing of the body; returns the first answer. */
  async function askToSend(socket: Socket, head: string): Promise<string> {
    socket.write(head);
    const [said] = (await once(socket, 'data')) as [Buffer];
    return said.toString('latin1').split('\r\n', 1)[0] ?? '';
  }

  it.each([
    ['a file that is too large', () => headOf('PUT', stack.session.id, [...raw(100_001)[1]]), 413],
    ['a form that is too large', () => headOf('POST', stack.session.id, [...form(300_000)[1]]), 413],
    ['a file to an ended session', () => headOf('PUT', endedSessionId, [...raw(10)[1]]), 409],
    ['a form to an ended session', () => headOf('POST', endedSessionId, [...form(900)[1]]), 409],
    ['a file of no length to an ended session', () => headOf('PUT', endedSessionId, [...chunked[1]]), 409],
    ['a file by an unknown key', () => headOf('PUT', stack.session.id, [...raw(10)[1]], 'atk_x'), 401],
    ['a body that is no form', () => headOf('POST', stack.session.id, [...raw(10)[1]]), 400],
  ])('is refused before it sends %s [AT-17]', async (_, makeHead, status) => {
    const socket = openSocket(stack.url);
    expect(await askToSend(socket, makeHead())).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    socket.destroy();
  });

  it.each([
    ['a file', () => headOf('PUT', stack.session.id, [...raw(5)[1]]), 'hello'],
    [
      'a form',
      () => headOf('POST', stack.session.id, [...form(filePart('hello').length + closing.length)[1]]),
      filePart('hello') + closing,
    ],
  ])('is told to send %s that is welcome', async (_, makeHead, body) => {
    const socket = openSocket(stack.url);
    expect(await askToSend(socket, makeHead())).toBe('HTTP/1.1 100 Continue');
    const answered = readAnswer(socket);
    socket.write(body);
    expect((await answered)?.status).toBe(201);
    socket.destroy();
  });
});

describe('connections whose sender continues after a refusal', () => {
  async function openRefused(apiKey: string): Promise<Socket> {
    const socket = openSocket(stack.url);
    socket.write(headOf('PUT', endedSessionId, ['transfer-encoding: chunked'], apiKey));
    expect((await readAnswer(socket))?.head).toMatch(/connection: close/i);
    return socket;
  }

  it('are bounded for each tenant: one more is closed at once [S15]', async () => {
    const held = await Promise.all(Array.from({ length: ROOM }, () => openRefused(stack.api.apiKey)));
    const oneMore = await openRefused(stack.api.apiKey);
    if (!oneMore.closed) await once(oneMore, 'close');
    expect(held.filter(({ closed }) => closed)).toHaveLength(0);
    const stranger = await openRefused('atk_x');
    expect(stranger.closed).toBe(false);
    for (const socket of [...held, stranger]) socket.destroy();
    await stack.expectAlive();
  });
});
