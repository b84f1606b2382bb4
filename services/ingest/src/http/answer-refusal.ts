import type { Fault } from '@attache/contracts';
import { currentTraceId } from '@attache/telemetry';
import type { Context } from 'hono';
import type { HttpDeps, HttpEnv } from './context.ts';
import { problemResponse } from './problem-response.ts';

/** A sender of a body that is not longer keeps its connection. */
const KEPT_BYTES = 64 * 1024;

function isSmall({ headers }: HttpEnv['Bindings']['incoming']): boolean {
  return headers.expect === undefined && Number(headers['content-length'] ?? Number.NaN) <= KEPT_BYTES;
}

/**
 * The answer to a refused request. It is written at once; if its sender still writes the body, the connection ends only when that was
 * read and dropped, within limits.
 */
export function answerRefusal({ linger }: Pick<HttpDeps, 'linger'>, c: Context<HttpEnv>, fault: Fault): Response {
  const { incoming, outgoing } = c.env;
  const requestId = currentTraceId();
  if (incoming.complete) return problemResponse(fault, requestId);
  const caller: HttpEnv['Variables']['caller'] | undefined = c.get('caller');
  const dropped = linger(incoming, caller?.tenantId);
  if (dropped === undefined || !isSmall(incoming)) outgoing.shouldKeepAlive = false;
  return problemResponse(fault, requestId, dropped);
}
