import { type ErrorCode, Fault, type Problem } from '@attache/contracts';

// What an agent sees of an error. Everything else about us is none of its business.
const statuses: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  ATTACHMENT_NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  SESSION_ENDED: 409,
  INVALID_REQUEST: 400,
  NO_FILE: 400,
  PAYLOAD_TOO_LARGE: 413,
  QUOTA_EXCEEDED: 429,
  STORAGE_UNAVAILABLE: 503,
  DATABASE_UNAVAILABLE: 503,
  OWNERSHIP_LOST: 401,
  UPLOAD_TIMEOUT: 408,
};

/** Maps what was thrown to what the agent may know of it. */
export function protocolError(error: unknown, requestId: string): Response {
  const fault = error instanceof Fault ? error : undefined;
  const status = (fault && statuses[fault.code]) ?? 500;
  const isKnown = fault !== undefined && status !== 500;
  const problem: Problem = {
    type: 'about:blank',
    title: isKnown ? fault.code : 'INTERNAL',
    status,
    code: isKnown ? fault.code : 'INTERNAL',
    detail: isKnown ? fault.message : 'The gateway could not do this.',
    retryable: isKnown ? fault.retryable : true,
    requestId,
  };
  return new Response(JSON.stringify(problem), { status, headers: { 'content-type': 'application/problem+json' } });
}
