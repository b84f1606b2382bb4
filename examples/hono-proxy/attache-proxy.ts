import { Hono } from 'hono';
import { isOwnPage } from './is-own-page.ts';
import { passWhile } from './pass-while.ts';
import { refuse } from './problems.ts';
import { findRoute } from './routes.ts';
import { createSessionTokens, nameParticipant, type Participant, TokenRefusedError } from './session-tokens.ts';

export type { Participant } from './session-tokens.ts';

export type ProxyOptions = {
  /** The address of the service as the proxy reaches it, such as `http://127.0.0.1:4100`. */
  baseUrl: string;
  /** An API key with the scope `sessions`. It makes tokens of participants, and goes nowhere else. */
  key: string;
  /** Says who sends a request, by your own cookie or session; null refuses it with 403. It is asked again every 15 s while an event stream is open. */
  authorize(request: Request): Participant | null | Promise<Participant | null>;
  /** Path below which the proxy is mounted. */
  prefix?: string;
  /** The origin that browsers see, such as `https://app.example`, if a proxy in front ends TLS or changes the header Host. By default, that of the request. */
  publicOrigin?: string;
  /** Takes what pages are not shown: why the service made no token, or cannot be reached. By default it goes to stderr. */
  onFault?(fault: unknown): void;
};

/** Refusals of tokens that are about the session or its pace. All others are about the key or the rights that `authorize` names. */
const SHOWN_REFUSALS = [404, 409, 429];

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
 * directions as they come, and a request that a page gives up is given up at the service. Throws a TypeError if `publicOrigin` is no URL.
 */
export function attacheProxy(options: ProxyOptions): Hono {
  // biome-ignore lint/suspicious/noConsole: stderr is where an operator looks
  const { baseUrl, key, authorize, prefix = '/attache', onFault = console.error } = options;
  const publicOrigin = options.publicOrigin && new URL(options.publicOrigin).origin;
  const service = baseUrl.replace(/\/+$/, '');
  const tokens = createSessionTokens({ baseUrl: service, key });
  const app = new Hono();
  app.all(`${prefix}/*`, async (c) => {
    const request = c.req.raw;
    const { origin, pathname, search } = new URL(request.url);
    const path = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : '';
    const route = findRoute(request.method, path);
    if (route === undefined) return refuse('ROUTE_NOT_FOUND', 'There is no such route.');
    const url = `${service}${path}${search}`;
    if (route.kind === 'signed') return forward(request, url, { prefix }).catch((error) => explain(error, request));
    if (!isOwnPage(request, publicOrigin || origin))
      return refuse('FORBIDDEN', 'Only pages of this origin may call it.');
    const participant = await authorize(request);
    if (participant === null || (route.sessionId ?? participant.sessionId) !== participant.sessionId)
      return refuse('FORBIDDEN', 'You are no participant of this session.');
    const response = await forwardAs(participant, request, url).catch((error) => explain(error, request));
    return endWithSignIn(response, participant, request);
  });
  return app;

  async function forwardAs(participant: Participant, request: Request, url: string): Promise<Response> {
    const response = await forward(request, url, { prefix, token: await tokens.read(participant) });
    if (response.status !== 401) return response;
    await response.body?.cancel();
    tokens.forget(participant);
    // The body is gone. Who sends it again gets a new token.
    if (request.body) return refuse('TOKEN_RENEWED', 'Send it again.');
    return forward(request, url, { prefix, token: await tokens.read(participant) });
  }

  /** An event stream ends once `authorize` no longer names the same person with the same rights; other bodies end by themselves. */
  function endWithSignIn(response: Response, participant: Participant, request: Request): Response {
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (!response.body || !isStream) return response;
    const name = nameParticipant(participant);
    const isAllowed = async () => {
      const found = await authorize(request);
      return found !== null && nameParticipant(found) === name;
    };
    return new Response(passWhile(response.body, isAllowed), response);
  }

  function explain(error: unknown, request: Request): Response {
    // A page that gave up reads no answer, and that is no fault.
    if (request.signal.aborted) return refuse('SERVICE_UNREACHABLE', 'The request was given up.');
    if (!(error instanceof TokenRefusedError)) {
      onFault(error);
      return refuse('SERVICE_UNREACHABLE', 'The service cannot be reached at present. Try again.');
    }
    const { status, headers } = error.response;
    if (SHOWN_REFUSALS.includes(status)) return new Response(error.text, { status, headers: pickAnswered(headers) });
    onFault(error);
    return refuse('INTERNAL', 'The service cannot be used at present.');
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
