import { type ErrorCode, Fault, type Problem } from '@attache/contracts';

// The errors that an agent sees. Everything else about us is none of its business.
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

/** The part of an error that an agent may know, and its status over HTTP. */
export type AgentError = { code: string; message: string; retryable: boolean; status: number };

/** Maps a thrown error to the part that the agent may know. */
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
