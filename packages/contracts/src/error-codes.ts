/** Codes of faults and of HTTP errors. The comment of each says when it is raised. The HTTP status stands only in ingest's problem map. */
export const errorCodes = [
  /** A body, query or parameter does not fit its schema. */
  'INVALID_REQUEST',
  /** An upload has no file part, or an empty one. */
  'NO_FILE',
  /** A multipart body breaks its grammar, has too many parts, or a field after or beside the one file. */
  'MALFORMED_BODY',
  /** No credential, a wrong, expired or revoked one, or one of a suspended tenant. */
  'UNAUTHENTICATED',
  /** A signed URL is missing a parameter, was altered, has expired, its generation was ended, or its tenant is suspended. */
  'INVALID_SIGNATURE',
  /** The caller may see the thing but lacks the right. */
  'FORBIDDEN',
  /** No such session for this caller. */
  'SESSION_NOT_FOUND',
  /** No such attachment for this caller. */
  'ATTACHMENT_NOT_FOUND',
  /** No such delivery for this caller. */
  'DELIVERY_NOT_FOUND',
  /** No such agent in this session. */
  'AGENT_NOT_FOUND',
  /** No such message in this session. */
  'MESSAGE_NOT_FOUND',
  /** No such API key of this tenant. */
  'KEY_NOT_FOUND',
  /** No tenant has this name; only the operator meets it. */
  'TENANT_NOT_FOUND',
  /** No such dead letter; only the operator meets it. */
  'DEAD_LETTER_NOT_FOUND',
  /** No such route. */
  'ROUTE_NOT_FOUND',
  /** The upload sent no byte for 30 s, or less than 1 KiB/s over 30 s. */
  'UPLOAD_TIMEOUT',
  /** Two uploads claim the same place. */
  'UPLOAD_CONFLICT',
  /** A new agent's name is already taken in its session. */
  'AGENT_NAME_TAKEN',
  /** A new tenant's name is already taken; only the operator meets it. */
  'TENANT_NAME_TAKEN',
  /** The API key is revoked or expired, or was rotated before; it cannot be rotated. */
  'KEY_ENDED',
  /** The session was ended; it can be read, not changed. */
  'SESSION_ENDED',
  /** The delivery did not fail, or failed in a way that trying again cannot mend. */
  'NOT_RETRYABLE',
  /** The delivery has already reached its end. */
  'ALREADY_WRITTEN',
  /** A named attachment is still being inspected. */
  'ATTACHMENT_PENDING',
  /** The same idempotency key is being worked on right now. */
  'IDEMPOTENCY_IN_PROGRESS',
  /** The idempotency key was used before for something else. */
  'IDEMPOTENCY_KEY_REUSED',
  /** More bytes than the limit. */
  'PAYLOAD_TOO_LARGE',
  /** The tenant's own allow-list does not hold this type. */
  'UNSUPPORTED_MEDIA_TYPE',
  /** The Range header asks for bytes that are not there. */
  'RANGE_NOT_SATISFIABLE',
  /** The bytes do not have the digest that the request states. */
  'CHECKSUM_MISMATCH',
  /** A message is blocked by its plan; `failures` say why. */
  'DELIVERY_BLOCKED',
  /** An unknown profile or a malformed model. */
  'TARGET_UNKNOWN',
  /** A credential or a tenant sent too many requests, or an address too many refused credentials. */
  'RATE_LIMITED',
  /** The tenant's quota is used up. */
  'QUOTA_EXCEEDED',
  /** The blob store does not answer, or is full or read-only. */
  'STORAGE_UNAVAILABLE',
  /** The database does not answer. */
  'DATABASE_UNAVAILABLE',
  /** Too much waits to be published. */
  'BACKLOG_FULL',
  /** A projection was not ready in time. */
  'PROJECTION_TIMEOUT',
  /** The process is stopping. */
  'SHUTTING_DOWN',
  /** A media worker ended, timed out or used too much memory. */
  'MEDIA_WORKER_FAILED',
  /** A gateway that no longer owns a session tried to write. */
  'OWNERSHIP_LOST',
  /** A setting is missing or wrong. */
  'CONFIGURATION_INVALID',
  /** Another process works on the data folder. */
  'DATA_FOLDER_LOCKED',
  /** A bug on our side. */
  'INTERNAL',
] as const;

export type ErrorCode = (typeof errorCodes)[number];
