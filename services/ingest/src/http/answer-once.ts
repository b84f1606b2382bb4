import { Fault, type RouteName } from '@attache/contracts';
import { currentTraceId } from '@attache/telemetry';
import type { Context } from 'hono';
import { type Answer, type Keep, type OnceRequest, runOnce } from '../once/run-once.ts';
import type { HttpDeps, HttpEnv } from './context.ts';
import { describeProblem } from './problem-response.ts';

const NO_SESSION = '00000000-0000-0000-0000-000000000000';

/** The request's idempotency key; a malformed one is refused. */
export function readIdempotencyKey(c: Context<HttpEnv>): string | undefined {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return undefined;
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  throw new Fault('INVALID_REQUEST', 'Idempotency-Key must be 1 to 200 visible ASCII characters without blanks.');
}

function describeRequest(
  deps: HttpDeps,
  c: Context<HttpEnv>,
  route: RouteName,
  body: unknown,
): OnceRequest | undefined {
  const key = readIdempotencyKey(c);
  if (key === undefined) return undefined;
  const sessionId = c.get('sessionId') ?? NO_SESSION;
  const { tenantId, principal } = c.get('caller');
  return { tenantId, route, sessionId, key, principal, holder: deps.holder, body };
}

// Only a 422 refusal is kept: a repeated request gets the same problem again.
function toKeptRefusal(error: unknown): Answer<unknown> | undefined {
  if (!(error instanceof Fault)) return undefined;
  const problem = describeProblem(error, currentTraceId());
  return problem.status === 422 ? { status: problem.status, body: problem } : undefined;
}

/** Responds to a creating request with `status`, once per idempotency key. Two requests with the same `body` are the same. */
export async function answerOnce(
  deps: HttpDeps,
  c: Context<HttpEnv>,
  request: { route: RouteName; status: 201 | 202; body: unknown },
  work: (keep: Keep) => Promise<unknown>,
): Promise<Response> {
  const once = describeRequest(deps, c, request.route, request.body);
  const { status, body, isReplay } = await runOnce(deps, once, { status: request.status, toKeptRefusal }, work);
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  const headers = new Headers({ 'content-type': type, 'cache-control': 'no-store' });
  if (isReplay) headers.set('idempotency-replayed', 'true');
  return new Response(JSON.stringify(body), { status, headers });
}
