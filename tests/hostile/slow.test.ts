import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filePart, formType } from './form.ts';
import { type HostileStack, startHostile } from './hostile-stack.ts';
import { formatHead, openSocket, type RawAnswer, readAnswer } from './raw-http.ts';

/** What the documentation promises, and the time of a tick or two of the guards. */
const WITHIN_MS = 34_000;

let stack: HostileStack;
beforeAll(async () => {
  stack = await startHostile();
});
afterAll(() => stack.stop());

type Ended = { answer: RawAnswer | undefined; tookMs: number };

/** Sends `first` at once, then one byte a second, until the other side ends it. */
async function sendSlowly(first: string, next: string): Promise<Ended> {
  const startedAt = performance.now();
  const socket = openSocket(stack.url);
  const answered = readAnswer(socket);
  socket.write(first);
  let at = 0;
  const timer = setInterval(() => {
    socket.write(next.charAt(at % next.length));
    at += 1;
  }, 1_000);
  try {
    const answer = await answered;
    return { answer, tookMs: performance.now() - startedAt };
  } finally {
    clearInterval(timer);
    socket.destroy();
  }
}

const codeOf = ({ answer }: Ended) => [answer?.status, JSON.parse(answer?.body || '{}').code];
const headOf = (method: string, path: string, headers: string[]) =>
  formatHead(method, `/v1/sessions/${stack.session.id}${path}`, stack.apiKey, headers);

// All at the same time, since each takes what it is given: half a minute.
describe.concurrent('one byte a second is ended in its time, and nothing of it is kept [S15]', () => {
  it('of a raw body', async () => {
    const ended = await sendSlowly(headOf('PUT', '/attachments', ['content-length: 90000']), 'x');
    expect(codeOf(ended)).toEqual([408, 'UPLOAD_TIMEOUT']);
    expect(ended.tookMs).toBeLessThan(WITHIN_MS);
  });

  it('of a body in chunks', async () => {
    const head = headOf('PUT', '/attachments', ['transfer-encoding: chunked']);
    const ended = await sendSlowly(head, '1\r\nx\r\n');
    expect(codeOf(ended)).toEqual([408, 'UPLOAD_TIMEOUT']);
    expect(ended.tookMs).toBeLessThan(WITHIN_MS);
  });

  it('of a file in a form', async () => {
    const head = headOf('POST', '/attachments', [`content-type: ${formType}`, 'content-length: 90000']);
    const ended = await sendSlowly(head + filePart('the beginning').trimEnd(), 'x');
    expect(codeOf(ended)).toEqual([408, 'UPLOAD_TIMEOUT']);
    expect(ended.tookMs).toBeLessThan(WITHIN_MS);
  });

  it('of a form before its file', async () => {
    const head = headOf('POST', '/attachments', [`content-type: ${formType}`, 'content-length: 90000']);
    const ended = await sendSlowly(head, '-');
    expect(codeOf(ended)).toEqual([408, 'UPLOAD_TIMEOUT']);
    expect(ended.tookMs).toBeLessThan(WITHIN_MS);
  });

  it('of no body at all', async () => {
    const ended = await sendSlowly(headOf('PUT', '/attachments', ['content-length: 90000']), '');
    expect(codeOf(ended)).toEqual([408, 'UPLOAD_TIMEOUT']);
    expect(ended.tookMs).toBeLessThan(WITHIN_MS);
  });

  it('of JSON', async () => {
    const head = headOf('POST', '/messages', ['content-type: application/json', 'content-length: 90000']);
    const ended = await sendSlowly(head, ' ');
    expect([408, undefined]).toContain(ended.answer?.status);
    expect(ended.tookMs).toBeLessThan(WITHIN_MS);
  });

  it('of headers', async () => {
    const ended = await sendSlowly('GET /v1/sessions HTTP/1.1\r\nhost: attache\r\nx-slow: ', 'x');
    expect([408, undefined]).toContain(ended.answer?.status);
    expect(ended.tookMs).toBeLessThan(WITHIN_MS);
  });

  it('of nothing at all', async () => {
    const ended = await sendSlowly('', '');
    expect([408, undefined]).toContain(ended.answer?.status);
    expect(ended.tookMs).toBeLessThan(WITHIN_MS);
  });

  it('while others are served', async () => {
    await new Promise((wake) => setTimeout(wake, 2_000));
    await stack.expectAlive();
    await new Promise((wake) => setTimeout(wake, 10_000));
    await stack.expectAlive();
  });
});

it('leaves nothing behind [S15 W1]', async () => {
  await stack.expectNothingKept();
  await stack.expectAlive();
  await stack.expectCleanEnd();
});
