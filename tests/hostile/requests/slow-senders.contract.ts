import { once } from 'node:events';
import type { StackLimits } from '@attache/standalone';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, formType } from '../fixtures/form.ts';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';
import { formatHead, openSocket, type RawAnswer, readAnswer } from '../fixtures/raw-http.ts';

/** `withinMs`: until when each of them has ended, a tick or two of the guards included. */
export type SlowSenders = { limits: StackLimits | undefined; withinMs: number };

type Ended = { answer: RawAnswer | undefined; tookMs: number };

/** Sends `first` at once, then one byte a second, until the other side answers or, with `isGoingOn`, ends it. */
async function sendSlowly(
  stack: HostileStack,
  first: string,
  next: string,
  { isGoingOn = false } = {},
): Promise<Ended> {
  const startedAt = performance.now();
  const socket = openSocket(stack.url);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const answered = readAnswer(socket);
  socket.write(first);
  let at = 0;
  const timer = setInterval(() => {
    socket.write(next.charAt(at % next.length));
    at += 1;
  }, 1_000);
  try {
    const answer = await answered;
    if (isGoingOn) await closed;
    return { answer, tookMs: performance.now() - startedAt };
  } finally {
    clearInterval(timer);
    socket.destroy();
  }
}

const headOf = ({ session, api }: HostileStack, method: string, path: string, headers: string[]) =>
  formatHead(method, `/v1/sessions/${session.id}${path}`, api.apiKey, headers);

const json = ['content-type: application/json', 'content-length: 90000'];
const form = [`content-type: ${formType}`, 'content-length: 90000'];
const raw = ['content-length: 90000'];
const chunked = ['transfer-encoding: chunked'];

type Begin = (stack: HostileStack) => Promise<Ended>;

const uploads: Record<string, Begin> = {
  'a raw body': (stack) => sendSlowly(stack, headOf(stack, 'PUT', '/attachments', raw), 'x'),
  'a body in chunks': (stack) => sendSlowly(stack, headOf(stack, 'PUT', '/attachments', chunked), '1\r\nx\r\n'),
  'a body without a byte': (stack) => sendSlowly(stack, headOf(stack, 'PUT', '/attachments', raw), ''),
  'a file in a form': (stack) =>
    sendSlowly(stack, headOf(stack, 'POST', '/attachments', form) + filePart('begun').trimEnd(), 'x'),
  'a form before its file': (stack) => sendSlowly(stack, headOf(stack, 'POST', '/attachments', form), '-'),
};
const refused: Record<string, Begin> = {
  'a body that continues behind its refusal': (stack) =>
    sendSlowly(stack, headOf(stack, 'PUT', '/nothing-here', chunked), '1\r\nx\r\n', { isGoingOn: true }),
  'a file that continues behind its refusal': (stack) =>
    sendSlowly(stack, headOf(stack, 'PUT', '/attachments', ['content-length: 26214401']), 'x', { isGoingOn: true }),
};
const others: Record<string, Begin> = {
  JSON: (stack) => sendSlowly(stack, headOf(stack, 'POST', '/messages', json), ' '),
  headers: (stack) => sendSlowly(stack, 'GET /v1/sessions HTTP/1.1\r\nhost: attache\r\nx-slow: ', 'x'),
};

/** Senders that hardly move, on a stack with these limits: each is ended in its time, and others are served meanwhile. */
export function describeSlowSenders({ limits, withinMs }: SlowSenders): void {
  let stack: HostileStack;
  // All at the same time, since each takes what it is given.
  const running = new Map<string, Promise<Ended>>();
  beforeAll(async () => {
    stack = await startHostile({ limits });
    for (const [name, begin] of Object.entries({ ...uploads, ...refused, ...others })) running.set(name, begin(stack));
  });
  afterAll(() => stack.stop());

  it('serves others meanwhile [S15]', async () => {
    for (let round = 0; round < 3; round += 1) await stack.expectAlive();
  });

  describe('one byte a second is ended in its time [S15]', () => {
    it.each(Object.keys(uploads))('of %s', async (name) => {
      const ended = await running.get(name);
      const { code } = JSON.parse(ended?.answer?.body || '{}');
      expect([ended?.answer?.status, code]).toEqual([408, 'UPLOAD_TIMEOUT']);
      expect(ended?.tookMs).toBeLessThan(withinMs);
    });

    it.each(Object.keys(refused))('of %s: closed after the answer', async (name) => {
      const ended = await running.get(name);
      expect([404, 413]).toContain(ended?.answer?.status);
      expect(ended?.tookMs).toBeLessThan(withinMs);
    });

    it.each(Object.keys(others))('of %s: answered by 408 or closed', async (name) => {
      const ended = await running.get(name);
      expect([408, undefined]).toContain(ended?.answer?.status);
      expect(ended?.tookMs).toBeLessThan(withinMs);
    });
  });

  describeRefusedBodies(() => stack);

  it('leaves nothing behind [S15 W1]', async () => {
    await stack.expectNothingKept();
    await stack.expectAlive();
    await stack.expectCleanEnd();
  });
}

function describeRefusedBodies(stackOf: () => HostileStack): void {
  describe('a small body of a refused request', () => {
    const nowhere = '/v1/sessions/ses_AAAAAAAAAAAAAAAAAAAAAA';
    const headOfRefused = () =>
      formatHead('PUT', `${nowhere}/attachments?name=a`, stackOf().api.apiKey, ['content-length: 10']);

    it('may come after the answer: it costs neither the answer nor the connection', async () => {
      const { url, api } = stackOf();
      const socket = openSocket(url);
      socket.write(headOfRefused());
      expect((await readAnswer(socket))?.status).toBe(404);
      socket.write(`0123456789${formatHead('GET', nowhere, api.apiKey)}`);
      expect((await readAnswer(socket))?.status).toBe(404);
      socket.destroy();
    });

    it('is not waited for: without it the connection is closed [S15]', async () => {
      const socket = openSocket(stackOf().url);
      const closed = once(socket, 'close');
      socket.write(headOfRefused());
      expect((await readAnswer(socket))?.status).toBe(404);
      await closed;
    });
  });
}
