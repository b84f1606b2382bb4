import type { Agent, Attachment, Delivery, Message, Problem, Session, SessionEvent } from '@attache/contracts';

export type Answer<T> = { status: number; headers: Headers; body: T };

export type Request = {
  body?: unknown;
  /** Sent as it is, instead of JSON. */
  raw?: BodyInit | ReadableStream<Uint8Array>;
  headers?: Record<string, string>;
  /** Another credential; null sends none. */
  credential?: string | null;
};

type BodyInit = string | Uint8Array<ArrayBuffer> | FormData;

/** The public HTTP surface as a caller sees it: statuses and problems are answers, not exceptions. */
export type Api = {
  url: string;
  apiKey: string;
  call<T = Record<string, unknown> & Partial<Problem>>(
    method: string,
    path: string,
    request?: Request,
  ): Promise<Answer<T>>;
  createSession(options?: {
    model?: string;
    profile?: string;
    agents?: number;
  }): Promise<{ session: Session; agent: Agent }>;
  upload(
    sessionId: string,
    bytes: Uint8Array<ArrayBuffer>,
    options?: { name?: string; type?: string; headers?: Record<string, string> },
  ): Promise<{ attachment: Attachment; displayUrl: string }>;
  /** Waits until inspection has settled. */
  inspected(attachmentId: string): Promise<Attachment>;
  send(
    sessionId: string,
    message: { to: string[]; text: string; attachmentIds?: string[] },
    headers?: Record<string, string>,
  ): Promise<{ message: Message; deliveries: [Delivery, ...Delivery[]] }>;
  delivery(deliveryId: string): Promise<Delivery>;
  /** Waits until the delivery has ended. */
  settled(deliveryId: string): Promise<Delivery>;
  events(sessionId: string): Promise<SessionEvent[]>;
};

const WAIT_MS = 30_000;
const POLL_MS = 20;

async function waitFor<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const until = Date.now() + WAIT_MS;
  while (Date.now() < until) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
  throw new Error(`${what} did not happen within ${WAIT_MS} ms`);
}

function expectStatus<T>(answer: Answer<T>, status: number): T {
  if (answer.status === status) return answer.body;
  throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}

export function createApi(url: string, apiKey: string): Api {
  const call: Api['call'] = async (method, path, request = {}) => {
    const { body, raw, credential = apiKey } = request;
    const headers: Record<string, string> = { ...request.headers };
    if (credential !== null) headers.authorization ??= `Bearer ${credential}`;
    if (body !== undefined) headers['content-type'] ??= 'application/json';
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${url}${path.startsWith('/v1') || path.startsWith('http') ? '' : '/v1'}${path}`, {
      method,
      headers,
      ...(payload === undefined ? {} : { body: payload, duplex: 'half' }),
    } as RequestInit);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : (text as never) };
  };
  const api: Api = {
    url,
    apiKey,
    call,
    async createSession({ model = 'example-vision', profile = 'example', agents = 1 } = {}) {
      const named = Array.from({ length: agents }, (_, index) => ({
        name: `agent-${index + 1}`,
        role: index === 0 ? 'lead' : 'member',
        target: { profile, model },
      }));
      const { session } = expectStatus(
        await call<{ session: Session }>('POST', '/sessions', { body: { agents: named } }),
        201,
      );
      return { session, agent: session.agents[0] as Agent };
    },
    async upload(sessionId, bytes, { name = 'file.png', type = 'image/png', headers = {} } = {}) {
      const path = `/sessions/${sessionId}/attachments?name=${encodeURIComponent(name)}`;
      return expectStatus(
        await call('PUT', path, { raw: bytes, headers: { 'content-type': type, ...headers } }),
        201,
      ) as never;
    },
    inspected: (attachmentId) =>
      waitFor(`inspection of ${attachmentId}`, async () => {
        const { attachment } = expectStatus(
          await call<{ attachment: Attachment }>('GET', `/attachments/${attachmentId}`),
          200,
        );
        return attachment.status === 'pending' ? undefined : attachment;
      }),
    async send(sessionId, message, headers = {}) {
      return expectStatus(
        await call('POST', `/sessions/${sessionId}/messages`, { body: message, headers }),
        202,
      ) as never;
    },
    async delivery(deliveryId) {
      return expectStatus(await call<{ delivery: Delivery }>('GET', `/deliveries/${deliveryId}`), 200).delivery;
    },
    settled: (deliveryId) =>
      waitFor(`the end of ${deliveryId}`, async () => {
        const delivery = await api.delivery(deliveryId);
        return ['responded', 'failed', 'cancelled'].includes(delivery.status) ? delivery : undefined;
      }),
    async events(sessionId) {
      const answer = await call<{ items: SessionEvent[] }>('GET', `/sessions/${sessionId}/events?limit=1000`);
      return expectStatus(answer, 200).items;
    },
  };
  return api;
}
