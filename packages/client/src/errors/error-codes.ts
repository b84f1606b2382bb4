import type { ErrorCode } from '@attache/contracts';

/** Codes that the client raises itself: no server answered, or its answer is of no use. */
export type ClientErrorCode =
  | 'NETWORK_FAILED'
  | 'REQUEST_ABORTED'
  | 'ANSWER_UNREADABLE'
  | 'FILE_CHANGED'
  | 'FILE_UNREADABLE'
  | 'TOKEN_UNAVAILABLE';

/** Codes of the server that this release knows, and those of the client. */
export type AttacheErrorCode = ErrorCode | ClientErrorCode;

// The list in contracts is a value, and the client imports types alone. The compiler reports a code that is missing here.
const knownCodes: Record<AttacheErrorCode, true> = {
  INVALID_REQUEST: true,
  NO_FILE: true,
  MALFORMED_BODY: true,
  UNAUTHENTICATED: true,
  INVALID_SIGNATURE: true,
  FORBIDDEN: true,
  SESSION_NOT_FOUND: true,
  ATTACHMENT_NOT_FOUND: true,
  DELIVERY_NOT_FOUND: true,
  AGENT_NOT_FOUND: true,
  MESSAGE_NOT_FOUND: true,
  GRANT_NOT_FOUND: true,
  KEY_NOT_FOUND: true,
  SECRET_NOT_FOUND: true,
  TENANT_NOT_FOUND: true,
  DEAD_LETTER_NOT_FOUND: true,
  ROUTE_NOT_FOUND: true,
  UPLOAD_TIMEOUT: true,
  UPLOAD_CONFLICT: true,
  AGENT_NAME_TAKEN: true,
  TENANT_NAME_TAKEN: true,
  KEY_ENDED: true,
  SESSION_ENDED: true,
  SESSION_PARKED: true,
  NOT_RETRYABLE: true,
  ALREADY_WRITTEN: true,
  ATTACHMENT_PENDING: true,
  IDEMPOTENCY_IN_PROGRESS: true,
  IDEMPOTENCY_KEY_REUSED: true,
  PAYLOAD_TOO_LARGE: true,
  UNSUPPORTED_MEDIA_TYPE: true,
  RANGE_NOT_SATISFIABLE: true,
  CHECKSUM_MISMATCH: true,
  ENCODING_MISMATCH: true,
  DELIVERY_BLOCKED: true,
  TARGET_UNKNOWN: true,
  RATE_LIMITED: true,
  QUOTA_EXCEEDED: true,
  STORAGE_UNAVAILABLE: true,
  DATABASE_UNAVAILABLE: true,
  BACKLOG_FULL: true,
  PROJECTION_TIMEOUT: true,
  SHUTTING_DOWN: true,
  MEDIA_WORKER_FAILED: true,
  OWNERSHIP_LOST: true,
  CONFIGURATION_INVALID: true,
  DATA_FOLDER_LOCKED: true,
  INTERNAL: true,
  NETWORK_FAILED: true,
  REQUEST_ABORTED: true,
  ANSWER_UNREADABLE: true,
  FILE_CHANGED: true,
  FILE_UNREADABLE: true,
  TOKEN_UNAVAILABLE: true,
};

export const isKnownCode = (code: string): code is AttacheErrorCode => Object.hasOwn(knownCodes, code);
