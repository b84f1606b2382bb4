import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type Api, createApi, type Request } from '@attache/test-harness';

const PATIENCE_MS = 60_000;
const PAUSE_MS = 100;

const retryableCodes = new Set([
  'DATABASE_UNAVAILABLE',
  'STORAGE_UNAVAILABLE',
  'BACKLOG_FULL',
  'IDEMPOTENCY_IN_PROGRESS',
  'ATTACHMENT_PENDING',
  'RATE_LIMITED',
  'SHUTTING_DOWN',
]);

/** How often a client had to ask again, by the code that it received, or `no answer`. */
export type Retries = Map<string, number>;

const isStream = (request: Request | undefined): boolean => request?.raw instanceof ReadableStream;

/**
 * A client as it should be: what got no answer, or a retryable one, is asked for again under the same idempotency key. A streamed
 * body cannot be sent twice: its loss is thrown. Patience ends: a service that does not return by itself is a fault.
 */
export function createPatientApi(api: Api, retries: Retries): Api {
  return createApi(api.url, api.apiKey, (call) => askAgain(call, retries));
}

function askAgain(call: Api['call'], retries: Retries): Api['call'] {
  return async <T>(method: string, path: string, request?: Request): Promise<Answer<T>> => {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      const { answer, reason } = await tryOnce<T>(call, method, path, request);
      if (answer) return answer;
      retries.set(reason, (retries.get(reason) ?? 0) + 1);
      if (isStream(request)) throw new Error(`the streamed request was lost: ${reason}`);
      if (Date.now() > until) throw new Error(`${method} ${path} got no answer for ${PATIENCE_MS} ms: ${reason}`);
      await delay(PAUSE_MS);
    }
  };
}

type Tried<T> = { answer: Answer<T>; reason: '' } | { answer: undefined; reason: string };

async function tryOnce<T>(
  call: Api['call'],
  method: string,
  path: string,
  request: Request | undefined,
): Promise<Tried<T>> {
  try {
    const answer = await call<T>(method, path, request);
    const { code, retryable } = answer.body as { code?: string; retryable?: boolean };
    if (answer.status < 400 || !code || !retryable || !retryableCodes.has(code)) return { answer, reason: '' };
    return { answer: undefined, reason: code };
  } catch {
    return { answer: undefined, reason: 'no answer' };
  }
}
