import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, formType } from '../fixtures/form.ts';
import { type HostileStack, startHostile } from '../fixtures/hostile-stack.ts';
import { formatHead, openSocket, type RawAnswer, readAnswer } from '../fixtures/raw-http.ts';

/** What the documentation promises, and the time of a tick or two of the guards. */
const WITHIN_MS = 34_000;

let stack: HostileStack;
beforeAll(async () => {
  stack = await startHostile();
});
afterAll(() => stack.stop());

type Ended = { answer: RawAnswer | undefined; tookMs: number };

/** Sends `first` at once, then one byte a second, until the other side answers or, with `isGoingOn`, ends it. */
async function sendSlowly(first: string, next: string, { isGoingOn = false } = {}): Promise<Ended> {
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

const headOf = (method: string, path: string, headers: string[]) =>
  formatHead(method, `/v1/sessions/${stack.session.id}${path}`, stack.api.apiKey, headers);

const json = ['content-type: application/json', 'content-length: 90000'];
const form = [`content-type: ${formType}`, 'content-length: 90000'];
const raw = ['content-length: 90000'];

const uploads = {
  'a raw body': () => sendSlowly(headOf('PUT', '/attachments', raw), 'x'),
  'a body in chunks': () => sendSlowly(headOf('PUT', '/attachments', ['transfer-encoding: chunked']), '1\r\nx\r\n'),
  'a body without a byte': () => sendSlowly(headOf('PUT', '/attachments', raw), ''),
  'a file in a form': () => sendSlowly(headOf('POST', '/attachments', form) + filePart('begun').trimEnd(), 'x'),
  'a form before its file': () => sendSlowly(headOf('POST', '/attachments', form), '-'),
};
const refused = {
  'a body that continues behind its refusal': () =>
    sendSlowly(headOf('PUT', '/nothing-here', ['transfer-encoding: chunked']), '1\r\nx\r\n', { isGoingOn: true }),
  'a file that continues behind its refusal': () =>
    sendSlowly(headOf('PUT', '/attachments', ['content-length: 26214401']), 'x', { isGoingOn: true }),
};
const others = {
  JSON: () => sendSlowly(headOf('POST', '/messages', json), ' '),
  headers: () => sendSlowly('GET /v1/sessions HTTP/1.1\r\nhost: attache\r\nx-slow: ', 'x'),
};

// All at the same time, since each takes what it is given: half a minute.
const running = new Map<string, Promise<Ended>>();
beforeAll(() => {
  for (const [name, begin] of Object.entries({ ...uploads, ...refused, ...others })) running.set(name, begin());
});

it('serves others meanwhile [S15]', async () => {
  for (let round = 0; round < 3; round += 1) {
    await stack.expectAlive();
    await new Promise((wake) => setTimeout(wake, 2_000));
  }
});

describe('one byte a second is ended in its time [S15]', () => {
  it.each(Object.keys(uploads))('of %s', async (name) => {
    const ended = await running.get(name);
    const { code } = JSON.parse(ended?.answer?.body || '{}');
    expect([ended?.answer?.status, code]).toEqual([408, 'UPLOAD_TIMEOUT']);
    expect(ended?.tookMs).toBeLessThan(WITHIN_MS);
  });

  it.each(Object.keys(refused))('of %s: closed after the answer', async (name) => {
    const ended = await running.get(name);
    expect([404, 413]).toContain(ended?.answer?.status);
    expect(ended?.tookMs).toBeLessThan(WITHIN_MS);
  });

  it.each(Object.keys(others))('of %s: answered by 408 or closed', async (name) => {
    const ended = await running.get(name);
    expect([408, undefined]).toContain(ended?.answer?.status);
    expect(ended?.tookMs).toBeLessThan(WITHIN_MS);
  });
});

describe('a small body of a refused request', () => {
  const headOfRefused = () =>
    formatHead('PUT', '/v1/sessions/ses_AAAAAAAAAAAAAAAAAAAAAA/attachments?name=a', stack.api.apiKey, [
      'content-length: 10',
    ]);

  it('may come after the answer: it costs neither the answer nor the connection', async () => {
    const socket = openSocket(stack.url);
    socket.write(headOfRefused());
    expect((await readAnswer(socket))?.status).toBe(404);
    socket.write(`0123456789${formatHead('GET', '/v1/sessions/ses_AAAAAAAAAAAAAAAAAAAAAA', stack.api.apiKey)}`);
    expect((await readAnswer(socket))?.status).toBe(404);
    socket.destroy();
  });

  it('is not waited for: without it the connection is closed [S15]', async () => {
    const socket = openSocket(stack.url);
    const closed = once(socket, 'close');
    socket.write(headOfRefused());
    expect((await readAnswer(socket))?.status).toBe(404);
    await closed;
  });
});

it('leaves nothing behind [S15 W1]', async () => {
  await stack.expectNothingKept();
  await stack.expectAlive();
  await stack.expectCleanEnd();
});
