import { type ErrorCode, Fault, type Problem, pathOfCode } from '@attache/contracts';

// The one map from codes to HTTP: status and title of every error.
const problems: Record<ErrorCode, readonly [status: number, title: string]> = {
  INVALID_REQUEST: [400, 'Invalid request'],
  NO_FILE: [400, 'No file'],
  MALFORMED_BODY: [400, 'Malformed body'],
  UNAUTHENTICATED: [401, 'Not authenticated'],
  INVALID_SIGNATURE: [401, 'Invalid signature'],
  FORBIDDEN: [403, 'Forbidden'],
  ORIGIN_NOT_ALLOWED: [403, 'Origin not allowed'],
  SESSION_NOT_FOUND: [404, 'Session not found'],
  ATTACHMENT_NOT_FOUND: [404, 'Attachment not found'],
  DELIVERY_NOT_FOUND: [404, 'Delivery not found'],
  AGENT_NOT_FOUND: [404, 'Agent not found'],
  MESSAGE_NOT_FOUND: [404, 'Message not found'],
  GRANT_NOT_FOUND: [404, 'Grant not found'],
  KEY_NOT_FOUND: [404, 'API key not found'],
  SECRET_NOT_FOUND: [404, 'Secret not found'],
  TENANT_NOT_FOUND: [404, 'Tenant not found'],
  DEAD_LETTER_NOT_FOUND: [404, 'Dead letter not found'],
  ROUTE_NOT_FOUND: [404, 'Route not found'],
  UPLOAD_TIMEOUT: [408, 'Upload timeout'],
  UPLOAD_CONFLICT: [409, 'Upload conflict'],
  AGENT_NAME_TAKEN: [409, 'Agent name taken'],
  TENANT_NAME_TAKEN: [409, 'Tenant name taken'],
  KEY_ENDED: [409, 'API key ended'],
  SESSION_ENDED: [409, 'Session ended'],
  SESSION_PARKED: [409, 'Session parked'],
  NOT_RETRYABLE: [409, 'Not retryable'],
  ALREADY_WRITTEN: [409, 'Already written'],
  ATTACHMENT_PENDING: [409, 'Attachment pending'],
  IDEMPOTENCY_IN_PROGRESS: [409, 'Request in progress'],
  PAYLOAD_TOO_LARGE: [413, 'Payload too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Unsupported media type'],
  RANGE_NOT_SATISFIABLE: [416, 'Range not satisfiable'],
  CHECKSUM_MISMATCH: [422, 'Checksum mismatch'],
  ENCODING_MISMATCH: [422, 'Encoding mismatch'],
  DELIVERY_BLOCKED: [422, 'Delivery blocked'],
  TARGET_UNKNOWN: [422, 'Target unknown'],
  IDEMPOTENCY_KEY_REUSED: [422, 'Idempotency key reused'],
  RATE_LIMITED: [429, 'Too many requests'],
  QUOTA_EXCEEDED: [429, 'Quota exceeded'],
  INTERNAL: [500, 'Internal error'],
  MEDIA_WORKER_FAILED: [500, 'Media worker failed'],
  OWNERSHIP_LOST: [500, 'Ownership lost'],
  CONFIGURATION_INVALID: [500, 'Configuration invalid'],
  DATA_FOLDER_LOCKED: [500, 'Data folder locked'],
  STORAGE_UNAVAILABLE: [503, 'Storage unavailable'],
  DATABASE_UNAVAILABLE: [503, 'Database unavailable'],
  BACKLOG_FULL: [503, 'Backlog full'],
  PROJECTION_TIMEOUT: [503, 'Projection timeout'],
  SHUTTING_DOWN: [503, 'Shutting down'],
};

/** Any other error is a bug: its text may hold anything, so none of it is shown. */
export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return new Fault('INTERNAL', 'Something went wrong on our side. Try again; if it stays, report the requestId.', {
    retryable: true,
    cause: error,
  });
}

/** Problem details of a fault (RFC 9457). */
export function describeProblem(fault: Fault, requestId: string): Problem {
  const [status, title] = problems[fault.code];
  const { failures, plans } = fault.details;
  return {
    // A reference to the service that answers, which knows no address of its own here.
    type: pathOfCode(fault.code),
    title,
    status,
    code: fault.code,
    detail: fault.message,
    retryable: fault.retryable,
    requestId,
    ...(failures ? { failures } : {}),
    ...(plans ? { plans } : {}),
  };
}

/** The answer to a fault: whole at once, and over only with `end` if one is given. */
export function problemResponse(fault: Fault, requestId: string, end?: Promise<void>): Response {
  const problem = describeProblem(fault, requestId);
  const headers: Record<string, string> = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  const { retryAfterSeconds } = fault.details;
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds);
  if (problem.status === 401) headers['www-authenticate'] = 'Bearer';
  const { status } = problem;
  const text = JSON.stringify(problem);
  if (end === undefined) return new Response(text, { status, headers });
  headers['content-length'] = String(Buffer.byteLength(text));
  return new Response(streamUntil(text, end), { status, headers });
}

function streamUntil(text: string, end: Promise<void>): ReadableStream<Uint8Array> {
  let isCancelled = false;
  return new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from(text));
      void end.then(() => {
        if (!isCancelled) controller.close();
      });
    },
    cancel: () => {
      isCancelled = true;
    },
  });
}
