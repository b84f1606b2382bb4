import { Hono } from 'hono';
import { isOwnPage } from './is-own-page.ts';
import { findRoute } from './routes.ts';
import { createSessionTokens, type Participant, TokenRefusedError } from './session-tokens.ts';

export type { Participant } from './session-tokens.ts';

export type ProxyOptions = {
  /** The address of the service as the proxy reaches it, such as `http://127.0.0.1:4100`. */
  baseUrl: string;
  /** An API key with the scope `sessions`. It makes tokens of participants, and goes nowhere else. */
  key: string;
  /** Says who sends a request, by your own cookie or session; null refuses it with 403. */
  authorize(request: Request): Participant | null | Promise<Participant | null>;
  /** Path below which the proxy is mounted. */
  prefix?: string;
  /** The origin that browsers see, such as `https://app.example`, if a proxy in front changes the header Host. */
  publicOrigin?: string;
};

/** Everything else that a page sends stays here: cookies, credentials, addresses and names of hosts. */
const REQUEST_HEADERS = [
  ...[
    'accept',
    'content-type',
    'content-length',
    'content-encoding',
    'repr-digest',
    'idempotency-key',
    'last-event-id',
  ],
  ...['range', 'if-range', 'if-match', 'if-none-match', 'traceparent', 'tracestate'],
];

const KEPT_BACK =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie|access-control-.*)$/;

/**
 * Forwards what pages of your own origin may call to Attaché. Each request carries a short token of one participant of one session. Bodies pass in both
 * directions as they come, and a request that a page gives up is given up at the service.
 */
export function attacheProxy({ baseUrl, key, authorize, prefix = '/attache', publicOrigin }: ProxyOptions): Hono {
  const service = baseUrl.replace(/\/+$/, '');
  const tokens = createSessionTokens({ baseUrl: service, key });
  const app = new Hono();
  app.all(`${prefix}/*`, async (c) => {
    const request = c.req.raw;
    const { pathname, search } = new URL(request.url);
    const path = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : '';
    const route = findRoute(request.method, path);
    if (route === undefined) return refuse(404, 'ROUTE_NOT_FOUND', 'There is no such route.');
    const url = `${service}${path}${search}`;
    if (route.kind === 'signed') return forward(request, url, { prefix });
    if (!isOwnPage(request, publicOrigin)) return refuse(403, 'FORBIDDEN', 'Only pages of this origin may call it.');
    const participant = await authorize(request);
    if (participant === null || (route.sessionId ?? participant.sessionId) !== participant.sessionId)
      return refuse(403, 'FORBIDDEN', 'You are no participant of this session.');
    return forwardAs(participant, request, url);
  });
  return app;

  async function forwardAs(participant: Participant, request: Request, url: string): Promise<Response> {
    try {
      const response = await forward(request, url, { prefix, token: await tokens.read(participant) });
      if (response.status !== 401) return response;
      await response.body?.cancel();
      tokens.forget(participant);
      // The body is gone. Who sends it again gets a new token.
      if (request.body) return refuse(503, 'TOKEN_RENEWED', 'Send it again.');
      return await forward(request, url, { prefix, token: await tokens.read(participant) });
    } catch (error) {
      if (!(error instanceof TokenRefusedError)) throw error;
      const { status } = error.response;
      if (status === 401 || status >= 500) return refuse(502, 'INTERNAL', 'The service cannot be used at present.');
      return new Response(error.response.body, { status, headers: pickAnswered(error.response.headers) });
    }
  }
}

async function forward(request: Request, url: string, how: { prefix: string; token?: string }): Promise<Response> {
  const headers = new Headers({ 'accept-encoding': 'identity' });
  for (const name of REQUEST_HEADERS) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (how.token !== undefined) headers.set('authorization', `Bearer ${how.token}`);
  const { method, body, signal } = request;
  const sent = { method, headers, signal, redirect: 'manual', ...(body && { body, duplex: 'half' }) } as RequestInit;
  const response = await fetch(url, sent);
  const answered = pickAnswered(response.headers);
  // The service names its own paths, which do not begin with the prefix.
  const location = answered.get('location');
  if (location?.startsWith('/')) answered.set('location', `${how.prefix}${location}`);
  return new Response(response.body, { status: response.status, headers: answered });
}

function pickAnswered(answered: Headers): Headers {
  const headers = new Headers();
  for (const [name, value] of answered) if (!KEPT_BACK.test(name)) headers.set(name, value);
  return headers;
}

/** A refusal has the form of the service's own. */
function refuse(status: number, code: string, detail: string): Response {
  const problem = { type: `/docs/errors/${code}`, title: detail, status, code, detail, retryable: status === 503 };
  return Response.json(problem, { status, headers: { 'content-type': 'application/problem+json' } });
}
