import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { attacheProxy, type Participant, type ProxyOptions } from './attache-proxy.ts';
import { CHECK_INTERVAL_MS } from './pass-while.ts';

const KEY = 'atk_never-to-be-seen';
const MIB = 1024 * 1024;
const participant = { sessionId: 'ses_own', externalUserId: 'user-7', rights: ['attachments:write'] };

/** A service that records what reaches it; each test says how it answers. */
let answer: (received: IncomingMessage, response: ServerResponse) => void;
let received: IncomingMessage[] = [];
let tokensMade = 0;
const service = createServer((message, response) => {
  if (message.url === '/v1/sessions/ses_own/tokens') {
    tokensMade += 1;
    response.writeHead(201, { 'content-type': 'application/json' }).end(`{"token":"token-${tokensMade}"}`);
    return;
  }
  const refusal = tokenRefusals.get(message.url?.split('/')[3] ?? '');
  if (refusal !== undefined && message.method === 'POST') {
    response.writeHead(refusal, { 'content-type': 'application/problem+json', 'retry-after': '7' });
    response.end(`{"status":${refusal},"code":"FROM_SERVICE","detail":"the key lacks urls:create"}`);
    return;
  }
  received.push(message);
  answer(message, response);
});
/** Sessions for which no token is made, with the status of the refusal. */
const tokenRefusals = new Map([
  ['ses_400', 400],
  ['ses_403', 403],
  ['ses_409', 409],
  ['ses_429', 429],
]);

let baseUrl: string;
let proxy: Server;
let port: number;
beforeAll(async () => {
  await once(service.listen(0, '127.0.0.1'), 'listening');
  baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const app = attacheProxy({
    ...{ baseUrl, key: KEY },
    authorize: ({ headers }) => (headers.get('cookie') === 'login=yes' ? participant : null),
  });
  proxy = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  await once(proxy, 'listening');
  port = (proxy.address() as AddressInfo).port;
});
afterAll(() => {
  for (const server of [proxy, service]) {
    server.closeAllConnections();
    server.close();
  }
});
beforeEach(() => {
  received = [];
  answer = (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

const ownPage = { cookie: 'login=yes', 'sec-fetch-site': 'same-origin' };

/** Sends a request as it is written: no client tidies its path. */
function open(method: string, path: string, headers: Record<string, string> = ownPage) {
  const sent = request({ host: '127.0.0.1', port, method, path, headers });
  const answered = once(sent, 'response').then(([message]) => message as IncomingMessage);
  answered.catch(() => undefined);
  return { sent, answered };
}

async function call(method: string, path: string, headers?: Record<string, string>) {
  const { sent, answered } = open(method, path, headers);
  sent.end();
  const message = await answered;
  message.resume();
  return message;
}

describe('a body', () => {
  it('of 20 MB reaches the service while it is sent, with its length', async () => {
    const parts = 20;
    const length = String(parts * MIB);
    let receivedBytes = 0;
    answer = (message, response) => {
      message.on('data', (chunk: Buffer) => {
        receivedBytes += chunk.length;
      });
      message.on('end', () => response.writeHead(201).end());
    };
    const headers = { ...ownPage, 'content-length': length };
    const { sent, answered } = open('PUT', '/attache/v1/sessions/ses_own/attachments?name=a', headers);
    for (let part = 1; part <= parts; part += 1) {
      sent.write(Buffer.alloc(MIB, part));
      // The next one is sent only when this one has arrived: nothing between holds the whole.
      await expect.poll(() => receivedBytes, { timeout: 30_000, interval: 2 }).toBeGreaterThan((part - 1) * MIB);
    }
    sent.end();
    expect((await answered).statusCode).toBe(201);
    expect(receivedBytes).toBe(parts * MIB);
    expect(received[0]?.headers['content-length']).toBe(length);
  });

  it('of events reaches the page event by event', async () => {
    let stream: ServerResponse | undefined;
    answer = (_, response) => {
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
    };
    const { sent, answered } = open('GET', '/attache/v1/sessions/ses_own/events');
    sent.end();
    const message = await answered;
    let text = '';
    message.on('data', (chunk) => {
      text += chunk;
    });
    for (const number of [1, 2, 3]) {
      await expect.poll(() => text, { timeout: 30_000 }).toContain(`data: ${number}\n\n`);
      expect(text).not.toContain(`data: ${number + 1}`);
      stream?.write(`data: ${number + 1}\n\n`);
    }
    sent.destroy();
  });
});

describe('a page that gives up', () => {
  it.each([
    ['GET', '/attache/v1/sessions/ses_own/events', undefined],
    ['PUT', '/attache/v1/sessions/ses_own/attachments', '1000000'],
  ])('ends its %s at the service', async (method, path, length) => {
    let isGone = false;
    answer = (message, response) => {
      response.once('close', () => {
        isGone = true;
      });
      message.on('error', () => undefined).resume();
      if (method === 'GET') response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    };
    const { sent } = open(method, path, { ...ownPage, ...(length && { 'content-length': length }) });
    sent.on('error', () => undefined);
    if (length) sent.write('begun');
    else sent.end();
    await expect.poll(() => received.length, { timeout: 30_000 }).toBe(1);
    sent.destroy();
    await expect.poll(() => isGone, { timeout: 30_000 }).toBe(true);
  });
});

describe('what the service receives', () => {
  it('is a token of the participant, and nothing that the page says about itself', async () => {
    await call('GET', '/attache/v1/sessions/ses_own', {
      ...ownPage,
      ...{ authorization: 'Bearer stolen', 'x-forwarded-for': '10.0.0.1', 'x-forwarded-host': 'evil.example' },
      ...{ te: 'trailers', 'accept-language': 'en', 'idempotency-key': 'kept' },
    });
    const { headers } = received[0] ?? {};
    expect(headers).toMatchObject({
      authorization: expect.stringMatching(/^Bearer token-\d+$/),
      'idempotency-key': 'kept',
    });
    for (const name of ['cookie', 'x-forwarded-for', 'x-forwarded-host', 'te'])
      expect(headers).not.toHaveProperty(name);
  });

  it('is a new token once the old one is refused', async () => {
    await call('GET', '/attache/v1/sessions/ses_own');
    const old = `Bearer token-${tokensMade}`;
    const tokensBefore = tokensMade;
    answer = ({ headers }, response) => response.writeHead(headers.authorization === old ? 401 : 200).end();
    expect((await call('GET', '/attache/v1/sessions/ses_own')).statusCode).toBe(200);
    expect(tokensMade).toBe(tokensBefore + 1);
  });
});

describe('a request that is refused, and reaches no service', () => {
  it.each([
    ['GET', '/attache/v1/sessions/ses_own/../../keys'],
    ['GET', '/attache/v1/sessions/ses_own/%2e%2e/%2e%2e/keys'],
    ['GET', '/attache/v1/attachments/..%2fkeys'],
    ['GET', '/attache/v1/attachments/att_1%2f..%2f..%2fkeys'],
    ['GET', '/attache//v1/keys'],
    ['GET', '/attache/v1//sessions/ses_own'],
    ['GET', '/attache/../v1/sessions/ses_own'],
    ['GET', '/attache\\..\\v1/keys'],
    ['POST', '/attache/v1/sessions/ses_own/tokens'],
    ['POST', '/attache/v1/sessions/ses_own/end'],
    ['POST', '/attache/v1/attachments/att_1/raw'],
    ['DELETE', '/attache/v1/sessions/ses_own/attachments'],
  ])('%s %s: there is no such route', async (method, path) => {
    // Node itself refuses a backslash.
    expect((await call(method, path)).statusCode).toBe(path.includes('\\') ? 400 : 404);
    expect(received).toEqual([]);
  });

  it.each([
    ['another session', 'GET', '/attache/v1/sessions/ses_other', ownPage],
    ['nobody', 'GET', '/attache/v1/sessions/ses_own', { 'sec-fetch-site': 'same-origin' }],
    ['a page of another site', 'GET', '/attache/v1/sessions/ses_own', { ...ownPage, 'sec-fetch-site': 'cross-site' }],
    [
      'a page of a sister site',
      'POST',
      '/attache/v1/sessions/ses_own/messages',
      { ...ownPage, 'sec-fetch-site': 'same-site' },
    ],
    [
      'an opened address that writes',
      'POST',
      '/attache/v1/sessions/ses_own/messages',
      { ...ownPage, 'sec-fetch-site': 'none' },
    ],
    [
      'another origin',
      'POST',
      '/attache/v1/sessions/ses_own/messages',
      { cookie: 'login=yes', origin: 'https://evil.example' },
    ],
    ['no origin', 'POST', '/attache/v1/sessions/ses_own/messages', { cookie: 'login=yes' }],
    ['an opaque origin', 'POST', '/attache/v1/sessions/ses_own/messages', { cookie: 'login=yes', origin: 'null' }],
  ])('%s', async (_, method, path, headers) => {
    expect((await call(method, path, headers)).statusCode).toBe(403);
    expect(received).toEqual([]);
  });

  it('lets a signed URL pass without a person, and gives it no credential', async () => {
    const { statusCode } = await call('GET', '/attache/v1/attachments/att_1/raw?sig=x', {
      'sec-fetch-site': 'cross-site',
    });
    expect(statusCode).toBe(200);
    expect(received[0]?.url).toBe('/v1/attachments/att_1/raw?sig=x');
    expect(received[0]?.headers).not.toHaveProperty('authorization');
  });
});

/** A proxy without a server in front, with what it reported. */
function openProxy(options: Partial<ProxyOptions> = {}) {
  const faults: unknown[] = [];
  const app = attacheProxy({
    ...{ baseUrl, key: KEY, authorize: () => participant, onFault: (fault) => faults.push(fault), ...options },
  });
  return { app, faults };
}

const asPage = (init: RequestInit = {}): RequestInit => ({ ...init, headers: { 'sec-fetch-site': 'same-origin' } });

async function readProblem(response: Response) {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  return { answered: response.status, ...((await response.json()) as Record<string, unknown>) };
}

describe('an open event stream', () => {
  const path = '/attache/v1/sessions/ses_own/events';

  async function follow(authorize: () => Participant | null | Promise<Participant | null>) {
    let isGone = false;
    answer = (_, response) => {
      response.once('close', () => {
        isGone = true;
      });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
    };
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { body } = await openProxy({ authorize }).app.request(path, asPage());
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    return { reader, isGone: () => isGone };
  }

  it.each<[string, () => Participant | null]>([
    ['has signed out', () => null],
    ['is another one', () => ({ ...participant, externalUserId: 'user-8' })],
    ['has other rights', () => ({ ...participant, rights: [] })],
    [
      'cannot be asked about',
      () => {
        throw new Error('no database');
      },
    ],
  ])('ends at the next check, here and at the service, when its person %s', async (_, later) => {
    let now: () => Participant | null = () => participant;
    const { reader, isGone } = await follow(() => now());
    await vi.advanceTimersByTimeAsync(CHECK_INTERVAL_MS);
    expect(isGone()).toBe(false);
    now = later;
    await vi.advanceTimersByTimeAsync(CHECK_INTERVAL_MS);
    expect((await reader.read()).done).toBe(true);
    await expect.poll(isGone, { timeout: 30_000 }).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is checked no longer once its page has gone', async () => {
    const { reader, isGone } = await follow(() => participant);
    await reader.cancel();
    expect(vi.getTimerCount()).toBe(0);
    await expect.poll(isGone, { timeout: 30_000 }).toBe(true);
  });
});

describe('a service that cannot be reached', () => {
  it.each(['/attache/v1/sessions/ses_own', '/attache/v1/attachments/att_1/raw'])('is a problem at %s', async (path) => {
    const closed = createServer();
    await once(closed.listen(0, '127.0.0.1'), 'listening');
    const { port: closedPort } = closed.address() as AddressInfo;
    await once(closed.close(), 'close');
    const { app, faults } = openProxy({ baseUrl: `http://127.0.0.1:${closedPort}` });
    const problem = await readProblem(await app.request(path, asPage()));
    expect(problem).toMatchObject({
      ...{ answered: 503, type: 'about:blank', title: 'Service Unavailable', status: 503 },
      ...{ code: 'SERVICE_UNREACHABLE', retryable: true },
    });
    expect(faults).toEqual([expect.objectContaining({ cause: expect.objectContaining({ code: 'ECONNREFUSED' }) })]);
  });
});

describe('a token that is refused', () => {
  const ask = async (sessionId: string) => {
    const { app, faults } = openProxy({ authorize: () => ({ ...participant, sessionId }) });
    const responses = await Promise.all([1, 2].map(() => app.request(`/attache/v1/sessions/${sessionId}`, asPage())));
    return { responses, faults };
  };

  it.each([400, 403])('for the key or its rights (%i) tells the operator why, and no page', async (status) => {
    const { responses, faults } = await ask(`ses_${status}`);
    for (const response of responses) {
      const problem = await readProblem(response);
      expect(problem).toMatchObject({ answered: 502, code: 'INTERNAL', type: 'about:blank', retryable: false });
      expect(JSON.stringify(problem)).not.toContain('urls:create');
    }
    expect(String(faults[0])).toContain(`${status} {"status":${status},"code":"FROM_SERVICE","detail":"the key lacks`);
    expect(String(faults)).not.toContain(KEY);
  });

  it.each([409, 429])('for the session or its pace (%i) is shown to each page that waits for it', async (status) => {
    const { responses, faults } = await ask(`ses_${status}`);
    for (const response of responses) {
      expect(response.headers.get('retry-after')).toBe('7');
      expect(await readProblem(response)).toMatchObject({ answered: status, code: 'FROM_SERVICE' });
    }
    expect(faults).toEqual([]);
  });
});

describe('the origin of a page in an older browser', () => {
  const at = 'http://app.example:8080/attache/v1/sessions/ses_own/messages';
  it.each([
    ['http://app.example:8080', undefined, 200],
    ['https://app.example:8080', undefined, 403],
    ['http://app.example', undefined, 403],
    ['https://app.example', 'https://app.example', 200],
    ['https://app.example', 'https://app.example:443/', 200],
    ['http://app.example', 'https://app.example', 403],
    ['http://app.example:8080', 'https://app.example', 403],
  ])('%s, where the public one is %s, is answered %i', async (origin, publicOrigin, status) => {
    const { app } = openProxy({ ...(publicOrigin && { publicOrigin }) });
    expect((await app.request(at, { method: 'POST', headers: { origin, host: 'app.example:8080' } })).status).toBe(
      status,
    );
  });
});

describe('HEAD', () => {
  it('of a route of participants is GET without the body', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-type': 'application/json', etag: '"1"' }).end('{}');
    const message = await call('HEAD', '/attache/v1/attachments/att_1');
    expect([message.statusCode, message.headers.etag]).toEqual([200, '"1"']);
    expect(received[0]?.method).toBe('HEAD');
  });

  it('is no way to a route that has no GET', async () => {
    expect((await call('HEAD', '/attache/v1/sessions/ses_own/messages')).statusCode).toBe(404);
  });
});
