import { type ErrorCode, Fault, type Problem } from '@attache/contracts';

// What an agent sees of an error. Everything else about us is none of its business.
const statuses: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  ATTACHMENT_NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  SESSION_ENDED: 409,
  CHECKSUM_MISMATCH: 409,
  INVALID_REQUEST: 400,
  NO_FILE: 400,
  PAYLOAD_TOO_LARGE: 413,
  QUOTA_EXCEEDED: 429,
  RATE_LIMITED: 429,
  STORAGE_UNAVAILABLE: 503,
  DATABASE_UNAVAILABLE: 503,
  MEDIA_WORKER_FAILED: 503,
  OWNERSHIP_LOST: 401,
  UPLOAD_TIMEOUT: 408,
};

/** What an agent may know of what was thrown, and what its status is over HTTP. */
export type AgentError = { code: string; message: string; retryable: boolean; status: number };

/** Maps what was thrown to what the agent may know of it. */
export function describeAgentError(error: unknown): AgentError {
  const fault = error instanceof Fault ? error : undefined;
  const status = fault && statuses[fault.code];
  if (fault === undefined || status === undefined)
    return { code: 'INTERNAL', message: 'The gateway could not do this.', retryable: true, status: 500 };
  return { code: fault.code, message: fault.message, retryable: fault.retryable, status };
}

/** The same as an answer over HTTP. */
export function protocolError(error: unknown, requestId: string): Response {
  const { code, message, retryable, status } = describeAgentError(error);
  const problem: Problem = { type: 'about:blank', title: code, status, code, detail: message, retryable, requestId };
  return new Response(JSON.stringify(problem), { status, headers: { 'content-type': 'application/problem+json' } });
}
