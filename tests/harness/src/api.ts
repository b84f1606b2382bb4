import type {
  Agent,
  Attachment,
  Delivery,
  DeliveryStatus,
  Message,
  Problem,
  ReplayPolicy,
  Session,
  SessionEvent,
} from '@attache/contracts';
import { waitInLog } from './log/wait-in-log.ts';

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
    replayPolicy?: ReplayPolicy;
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
    message: { to: string[]; text: string; attachmentIds?: string[]; textMedia?: 'keep' },
    headers?: Record<string, string>,
  ): Promise<{ message: Message; deliveries: [Delivery, ...Delivery[]] }>;
  delivery(deliveryId: string): Promise<Delivery>;
  /** Waits until the delivery has ended. */
  settled(deliveryId: string): Promise<Delivery>;
  /** Waits until the delivery has this status, or has ended; fails if it has another one then. */
  reached(deliveryId: string, status: DeliveryStatus): Promise<Delivery>;
  events(sessionId: string): Promise<SessionEvent[]>;
  /** Waits until the log of a session has this many events that fit, and returns those. */
  logged(
    sessionId: string,
    fits: (event: SessionEvent) => boolean,
    options?: { count?: number; signal?: AbortSignal },
  ): Promise<SessionEvent[]>;
};

const ended: ReadonlySet<DeliveryStatus> = new Set(['responded', 'failed', 'cancelled']);

// A delivery does not name the session whose log reports it.
const sessionsOfDeliveries = new Map<string, string>();

function noteDeliveries(path: string, body: { deliveries?: { id: string }[] }): void {
  const sessionId = /\/sessions\/(ses_[\w-]+)\//.exec(path)?.[1];
  if (sessionId === undefined || !Array.isArray(body.deliveries)) return;
  for (const { id } of body.deliveries) sessionsOfDeliveries.set(id, sessionId);
}

function expectStatus<T>(answer: Answer<T>, status: number): T {
  if (answer.status === status) return answer.body;
  throw new Error(`expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`);
}

type Call = Api['call'];

/** `through`: how each call is made, for a client that asks again. */
export function createApi(url: string, apiKey: string, through = (call: Call): Call => call): Api {
  const call = through(async (method, path, request = {}) => {
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
    const answered = isJson ? JSON.parse(text) : text;
    noteDeliveries(path, answered);
    return { status: response.status, headers: response.headers, body: answered as never };
  });
  const findAttachment = async (id: string) =>
    expectStatus(await call<{ attachment: Attachment }>('GET', `/attachments/${id}`), 200).attachment;
  const waitForAttachment = async (id: string, what: string, isThere: (attachment: Attachment) => boolean) => {
    const present = await findAttachment(id);
    if (isThere(present)) return present;
    const isNews = ({ data }: SessionEvent) => data.attachmentId === id;
    return waitInLog({ api, sessionId: present.sessionId, what: `${what} of ${id}`, isNews }, async () => {
      const attachment = await findAttachment(id);
      return isThere(attachment) ? attachment : undefined;
    });
  };
  const waitForDelivery = (id: string, what: string, isThere: (delivery: Delivery) => boolean) => {
    const isNews = ({ data }: SessionEvent) => data.deliveryId === id;
    return waitInLog({ api, sessionId: sessionsOfDeliveries.get(id), what: `${what} of ${id}`, isNews }, async () => {
      const delivery = await api.delivery(id);
      return isThere(delivery) ? delivery : undefined;
    });
  };
  const api: Api = {
    url,
    apiKey,
    call,
    async createSession({ model = 'example-vision', profile = 'example', agents = 1, ...rest } = {}) {
      const named = Array.from({ length: agents }, (_, index) => ({
        name: `agent-${index + 1}`,
        role: index === 0 ? 'lead' : 'member',
        target: { profile, model },
      }));
      const { session } = expectStatus(
        await call<{ session: Session }>('POST', '/sessions', { body: { agents: named, ...rest } }),
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
    inspected: (attachmentId) => waitForAttachment(attachmentId, 'inspection', ({ status }) => status !== 'pending'),
    async send(sessionId, message, headers = {}) {
      return expectStatus(
        await call('POST', `/sessions/${sessionId}/messages`, { body: message, headers }),
        202,
      ) as never;
    },
    async delivery(deliveryId) {
      return expectStatus(await call<{ delivery: Delivery }>('GET', `/deliveries/${deliveryId}`), 200).delivery;
    },
    settled: (deliveryId) => waitForDelivery(deliveryId, 'its end', ({ status }) => ended.has(status)),
    async reached(deliveryId, status) {
      const isThere = (delivery: Delivery) => delivery.status === status || ended.has(delivery.status);
      const delivery = await waitForDelivery(deliveryId, status, isThere);
      if (delivery.status === status) return delivery;
      throw new Error(`${deliveryId} was to become ${status}, and is ${JSON.stringify(delivery)}`);
    },
    async events(sessionId) {
      const answer = await call<{ items: SessionEvent[] }>('GET', `/sessions/${sessionId}/events?limit=1000`);
      return expectStatus(answer, 200).items;
    },
    logged: (sessionId, fits, { count = 1, signal } = {}) =>
      waitInLog({ api, sessionId, what: `${count} events of ${sessionId}`, isNews: fits, signal }, async () => {
        const found = (await api.events(sessionId)).filter(fits);
        return found.length >= count ? found : undefined;
      }),
  };
  return api;
}
