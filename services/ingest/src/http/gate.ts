import {
  type ErrorCode,
  Fault,
  type IdKind,
  idFromUuid,
  isId,
  type RouteName,
  type RouteRule,
  routes,
  uuidFromId,
} from '@attache/contracts';
import { findSession } from '@attache/database';
import { currentTrace, markFailed, recordRequest, runInSpan, startSpan, type TraceCarrier } from '@attache/telemetry';
import type { Context, MiddlewareHandler } from 'hono';
import { assertRight, type Caller, canSeeSession } from '../caller/caller.ts';
import { sessionNotFound } from '../not-found.ts';
import { answerRefusal } from './answer-refusal.ts';
import { authenticate } from './authenticate.ts';
import type { HttpDeps, HttpEnv } from './context.ts';
import { lookAheadOf } from './look-ahead.ts';
import { asFault } from './problem-response.ts';

function carrierOf(c: Context<HttpEnv>): TraceCarrier | undefined {
  const traceparent = c.req.header('traceparent');
  return traceparent === undefined ? undefined : { traceparent, tracestate: c.req.header('tracestate') };
}

/** Uuid of a well-formed public id; anything else is as unknown as a well-formed id that names nothing. */
export function parseId(kind: IdKind, id: string | undefined, notFound: () => Fault): string {
  if (id === undefined || !isId(kind, id)) throw notFound();
  return uuidFromId(id);
}

// A caller without the right learns of the session only if it is there for it to see.
async function refuseWithoutRight(deps: HttpDeps, caller: Caller, rule: RouteRule, sessionId: string): Promise<void> {
  if (rule.right === undefined || caller.rights.has(rule.right)) return;
  const session = await deps.db.asTenant(caller.tenantId, (tx) => findSession(tx, sessionId));
  if (!session) throw sessionNotFound();
  assertRight(caller, rule.right);
}

const ofTenant: ReadonlySet<RouteRule['gate']> = new Set(['tenant', 'key', 'profile', 'secret']);

async function admit(deps: HttpDeps, c: Context<HttpEnv>, rule: RouteRule, caller: Caller): Promise<void> {
  c.set('caller', caller);
  if (ofTenant.has(rule.gate)) {
    // A session token opens one session and nothing else.
    if (caller.onlySessionId !== undefined)
      throw new Fault('FORBIDDEN', 'A session token cannot do this. Use an API key.');
    if (rule.right !== undefined) assertRight(caller, rule.right);
  }
  if (rule.gate === 'session') {
    const sessionId = parseId('session', c.req.param('sessionId'), sessionNotFound);
    if (!canSeeSession(caller, sessionId)) throw sessionNotFound();
    await refuseWithoutRight(deps, caller, rule, sessionId);
    c.set('sessionId', sessionId);
  }
}

/** Routes that add work to the bus. While the backlog is full, they refuse a request before they read its body. */
const addsWork: ReadonlySet<RouteName> = new Set(['uploadMultipart', 'uploadRaw', 'sendMessage', 'retryDelivery']);

function refuseWhileFull(deps: HttpDeps, name: RouteName): void {
  if (!addsWork.has(name) || deps.backlog?.isFull() !== true) return;
  throw new Fault('BACKLOG_FULL', 'Too much waits to be worked on. Send the request again in a moment.', {
    retryable: true,
    retryAfterSeconds: 5,
  });
}

/** A request is under way until its answer is out or its connection is gone (BX-32). */
export function countUntilAnswered(
  deps: Pick<HttpDeps, 'open'>,
  c: Context<HttpEnv>,
  caller: Parameters<HttpDeps['open']['requests']['open']>[0],
): void {
  const release = deps.open.requests.open(caller);
  // Its sender may have gone while its credential was looked up.
  if (c.env.outgoing.destroyed) release();
  else c.env.outgoing.once('close', release);
}

const PUBLIC_ID = /^[a-z]{3}_[A-Za-z0-9_-]{22}$/;

async function noteDenial(deps: HttpDeps, c: Context<HttpEnv>, name: RouteName, fault: Fault): Promise<void> {
  const caller = c.get('caller');
  if (fault.code !== 'FORBIDDEN' || !caller) return;
  const subjectId = Object.values(c.req.param()).findLast((value) => PUBLIC_ID.test(value));
  await deps.recordDenial(caller, { route: name, right: routes[name].right, subjectId });
}

/** Refuses an attachment or delivery that this caller must not know of, then the caller who lacks the right to it. */
export function admitToThing(name: RouteName, caller: Caller, sessionId: string, notFound: () => Fault): void {
  if (!canSeeSession(caller, sessionId)) throw notFound();
  const { right } = routes[name];
  if (right !== undefined) assertRight(caller, right);
}

async function authenticateOrExplain(deps: HttpDeps, c: Context<HttpEnv>, name: RouteName) {
  if (routes[name].gate === 'signature') return { caller: undefined, refusal: undefined };
  try {
    return { caller: await authenticate(deps, c, name, await lookAheadOf(c, name)), refusal: undefined };
  } catch (error) {
    return { caller: undefined, refusal: error };
  }
}

function describeAnswer(c: Context<HttpEnv>, caller: Caller | undefined) {
  const sessionId: string | undefined = c.get('sessionId');
  return {
    'http.response.status_code': c.res.status,
    ...(caller ? { 'tenant.id': caller.tenantId } : {}),
    ...(sessionId ? { 'session.id': idFromUuid('session', sessionId) } : {}),
  };
}

/** Codes of which an operator has to know. */
const outages: ReadonlySet<ErrorCode> = new Set(['STORAGE_UNAVAILABLE', 'DATABASE_UNAVAILABLE']);

/** Span, credential and right of a route, as the table in contracts says; errors become problems. */
export function createGate(deps: HttpDeps, name: RouteName): MiddlewareHandler<HttpEnv> {
  const rule: RouteRule = routes[name];
  const spanName = `${rule.method.toUpperCase()} ${deps.settings.basePath}${rule.path}`;
  return async (c, next) => {
    const startedAt = performance.now();
    c.set('isGated', true);
    let code: ErrorCode | undefined;
    const { caller, refusal } = await authenticateOrExplain(deps, c, name);
    const carrier = carrierOf(c);
    const span = startSpan({
      name: spanName,
      kind: 'server',
      parent: caller?.isTrusted ? (carrier ?? 'root') : 'root',
      links: caller?.isTrusted ? [] : [carrier],
      attributes: { 'http.request.method': c.req.method, 'http.route': rule.path },
    });
    await runInSpan(span, async () => {
      try {
        if (refusal !== undefined) throw refusal;
        if (caller) {
          countUntilAnswered(deps, c, caller);
          await deps.origins.admit(c, caller.tenantId);
          await admit(deps, c, rule, caller);
        }
        refuseWhileFull(deps, name);
        await next();
        if (c.error) throw c.error;
      } catch (error) {
        const fault = asFault(error);
        code = fault.code;
        markFailed(span, fault);
        await noteDenial(deps, c, name, fault);
        // A client that went away is no fault of ours.
        if (fault.code === 'INTERNAL' && !c.env.incoming.errored) deps.log.error({ err: error }, 'request.failed');
        if (outages.has(fault.code)) deps.noteOutage(fault);
        c.error = undefined;
        c.res = answerRefusal(deps, c, fault);
      }
      // On Node's own response, where a handler's headers win: asking `c.res` for its headers would make the answer a stream.
      const trace = currentTrace();
      if (trace) c.env.outgoing.setHeader('traceresponse', trace.traceparent);
      c.env.outgoing.setHeader('cache-control', 'no-store');
      span.setAttributes(describeAnswer(c, caller));
    });
    span.end();
    const { status } = c.res;
    recordRequest({ route: rule.path, method: c.req.method, status, durationMs: performance.now() - startedAt, code });
  };
}
