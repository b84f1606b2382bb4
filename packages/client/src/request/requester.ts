import { AttacheError } from '../errors/attache-error.ts';
import { readProblem } from '../errors/read-problem.ts';
import { createIdempotencyKey } from './idempotency-key.ts';
import { keepTrying } from './keep-trying.ts';
import { abortedError } from './pause.ts';
import type { TokenKeeper } from './token-keeper.ts';

export type Query = Record<string, string | number | undefined>;

export type ApiRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Query | undefined;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  idempotencyKey?: string | undefined;
};

/** Sends requests to one service: with its address, token, rules of repetition and errors. */
export type Requester = {
  fetch: typeof fetch;
  /** Whether `fetch` is the runtime's own. */
  isOwnFetch: boolean;
  urlOf(path: string, query?: Query): string;
  /** Calls `send` with the headers of the caller; once more with a new token after a 401. */
  withToken<T>(send: (headers: Record<string, string>) => Promise<T>): Promise<T>;
  /** Sends until there is an answer, and reads it as JSON; undefined where it has no body. */
  call<T>(request: ApiRequest): Promise<T>;
  /** One try; the body of the answer is left to the caller. */
  open(request: ApiRequest): Promise<Response>;
};

type RequesterOptions = { baseUrl: string; basePath: string; tokens: TokenKeeper; fetch: typeof fetch | undefined };

export function createRequester({ baseUrl, basePath, tokens, fetch: givenFetch }: RequesterOptions): Requester {
  const prefix = `${baseUrl.replace(/\/+$/, '')}${basePath}`;
  // Looked up at each call, so that a later replacement is used too.
  const send: typeof fetch = givenFetch ?? ((input, init) => globalThis.fetch(input, init));
  const urlOf = (path: string, query: Query = {}) => `${prefix}${path}${formatQuery(query)}`;
  const withToken: Requester['withToken'] = async (attempt) => {
    const token = await tokens.read();
    try {
      return await attempt(authorise(token));
    } catch (error) {
      const isRefused = error instanceof AttacheError && error.code === 'UNAUTHENTICATED';
      if (!isRefused || token === undefined) throw error;
      return attempt(authorise(await tokens.replace(token)));
    }
  };
  const open: Requester['open'] = (request) =>
    withToken(async (headers) => {
      const response = await fetchOnce(send, urlOf(request.path, request.query), request, headers);
      if (response.ok) return response;
      const text = await readText(response, request.signal);
      throw readProblem({ status: response.status, text, header: (name) => response.headers.get(name) });
    });
  return {
    ...{ fetch: send, isOwnFetch: givenFetch === undefined, urlOf, withToken, open },
    async call<T>(request: ApiRequest): Promise<T> {
      const { method = 'GET' } = request;
      // One key for all tries, so that the server does it once.
      const idempotencyKey = request.idempotencyKey ?? (method === 'GET' ? undefined : createIdempotencyKey());
      return keepTrying(async () => readJson<T>(await open({ ...request, idempotencyKey }), request.signal), request);
    },
  };
}

const authorise = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

function formatQuery(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

async function fetchOnce(
  send: typeof fetch,
  url: string,
  { method = 'GET', body, headers, signal, idempotencyKey }: ApiRequest,
  authorization: Record<string, string>,
): Promise<Response> {
  try {
    return await send(url, {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        ...authorization,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal && { signal }),
      ...uncached(),
    });
  } catch (cause) {
    throw describeFailedFetch(cause, signal);
  }
}

/** Browsers let a request wait up to 20 seconds for another one of the same address, in case its answer can be kept. Not every runtime knows the option. */
const uncached = (): Pick<RequestInit, 'cache'> =>
  typeof Request === 'function' && 'cache' in Request.prototype ? { cache: 'no-store' } : {};

/** The error of a request that got no answer. */
export function describeFailedFetch(cause: unknown, signal: AbortSignal | undefined): AttacheError {
  if (signal?.aborted) return abortedError(signal);
  const message =
    'The server could not be reached. Check the network, the address and, in a browser, that the server allows this origin (CORS).';
  return new AttacheError('NETWORK_FAILED', message, { retryable: true, cause });
}

async function readText(response: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw describeFailedFetch(cause, signal);
  }
}

async function readJson<T>(response: Response, signal: AbortSignal | undefined): Promise<T> {
  return parseAnswer<T>(response.status, await readText(response, signal));
}

/** The JSON of a successful answer; undefined where it is empty. */
export function parseAnswer<T>(status: number, text: string): T {
  if (text === '') return undefined as T;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message =
      'The server answered with something else than JSON. Check that `baseUrl` is the address of Attaché.';
    throw new AttacheError('ANSWER_UNREADABLE', message, { status, cause });
  }
}
