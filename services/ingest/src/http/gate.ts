import { Fault, type IdKind, isId, type RouteName, type RouteRule, routes, uuidFromId } from '@attache/contracts';
import { findSession } from '@attache/database';
import { currentTrace, currentTraceId, markFailed, runInSpan, startSpan, type TraceCarrier } from '@attache/telemetry';
import type { Context, MiddlewareHandler } from 'hono';
import { authenticateApiKey, unauthenticated } from '../api-key.ts';
import { assertRight, type Caller, canSeeSession } from '../caller.ts';
import { sessionNotFound } from '../create-session.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { authenticateSessionToken } from '../session-token.ts';
import type { HttpEnv } from './context.ts';
import { asFault, problemResponse } from './problem-response.ts';

async function authenticate(deps: IngestDeps, c: Context<HttpEnv>): Promise<Caller> {
  const [, credential = ''] = /^Bearer ([\x21-\x7e]{1,4000})$/.exec(c.req.header('authorization') ?? '') ?? [];
  if (credential.startsWith('atk_')) return authenticateApiKey(deps.db, credential);
  if (credential.startsWith('ats_')) return authenticateSessionToken(deps.db, deps.signingKeys, credential);
  throw unauthenticated();
}

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
async function refuseWithoutRight(deps: IngestDeps, caller: Caller, rule: RouteRule, sessionId: string): Promise<void> {
  if (rule.right === undefined || caller.rights.has(rule.right)) return;
  const session = await deps.db.asTenant(caller.tenantId, (tx) => findSession(tx, sessionId));
  if (!session) throw sessionNotFound();
  assertRight(caller, rule.right);
}

async function admit(deps: IngestDeps, c: Context<HttpEnv>, rule: RouteRule, caller: Caller): Promise<void> {
  c.set('caller', caller);
  if (rule.gate === 'tenant') {
    // A session token opens one session and nothing beside it.
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

/** Refuses an attachment or delivery that this caller must not know of, then the caller who lacks the right to it. */
export function admitToThing(name: RouteName, caller: Caller, sessionId: string, notFound: () => Fault): void {
  if (!canSeeSession(caller, sessionId)) throw notFound();
  const { right } = routes[name];
  if (right !== undefined) assertRight(caller, right);
}

async function authenticateOrExplain(deps: IngestDeps, c: Context<HttpEnv>, rule: RouteRule) {
  if (rule.gate === 'signature') return { caller: undefined, refusal: undefined };
  try {
    return { caller: await authenticate(deps, c), refusal: undefined };
  } catch (error) {
    return { caller: undefined, refusal: error };
  }
}

/** Span, credential and right of a route, as the table in contracts says; errors become problems. */
export function createGate(deps: IngestDeps, name: RouteName): MiddlewareHandler<HttpEnv> {
  const rule: RouteRule = routes[name];
  const spanName = `${rule.method.toUpperCase()} ${deps.settings.basePath}${rule.path}`;
  return async (c, next) => {
    const { caller, refusal } = await authenticateOrExplain(deps, c, rule);
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
        if (caller) await admit(deps, c, rule, caller);
        await next();
        if (c.error) throw c.error;
      } catch (error) {
        const fault = asFault(error);
        markFailed(span, fault);
        // A client that went away is no fault of ours.
        if (fault.code === 'INTERNAL' && !c.env.incoming.errored) deps.log.error({ err: error }, 'request.failed');
        c.error = undefined;
        // The rest of a refused body is not read: the connection closes after the answer.
        if (!c.env.incoming.complete) c.env.outgoing.shouldKeepAlive = false;
        c.res = problemResponse(fault, currentTraceId());
      }
      // On Node's own response, where a handler's headers win: asking `c.res` for its headers would make the answer a stream.
      const trace = currentTrace();
      if (trace) c.env.outgoing.setHeader('traceresponse', trace.traceparent);
      c.env.outgoing.setHeader('cache-control', 'no-store');
      span.setAttribute('http.response.status_code', c.res.status);
    });
    span.end();
  };
}
