import type { ErrorCode } from './error-codes.ts';
import type { ErrorExplanation } from './error-explanation.ts';

/** Errors caused by the request, or by the state that it meets. */
export const callerErrorExplanations = {
  INVALID_REQUEST: {
    when: 'A body, query or parameter does not fit its schema.',
    whatToDo: 'Correct the field that the detail names.',
  },
  NO_FILE: {
    when: 'An upload has no file part, or an empty one.',
    whatToDo: 'Send a file with at least one byte.',
  },
  MALFORMED_BODY: {
    when: 'A multipart body breaks its grammar, has too many parts, or a field after or beside the one file.',
    whatToDo: 'Send the fields first and then the one file, or send the bytes alone with PUT.',
  },
  UNAUTHENTICATED: {
    when: 'The request has no credential, a wrong, expired or revoked one, or one of a suspended tenant.',
    whatToDo:
      'Send a valid API key or session token. If yours should be valid, ask the operator whether the tenant is suspended.',
  },
  INVALID_SIGNATURE: {
    when: 'A signed URL lacks a parameter, was altered, has expired or was revoked with its generation, or its tenant is suspended.',
    whatToDo: 'Ask for a new signed URL and use it unchanged.',
  },
  FORBIDDEN: {
    when: 'The caller may see this resource but lacks the right for the request.',
    whatToDo: 'Use a credential with the right that the detail names.',
  },
  ORIGIN_NOT_ALLOWED: {
    when: "A page of an origin that may not call the API sent the request. Nothing was done. The allowed origins are the operator's, from ATTACHE_CORS_ORIGINS, and the tenant's own, from PUT cors-origins.",
    whatToDo:
      'Add the origin that the detail names to the origins of the tenant, or ask the operator to add it. Use a credential of the tenant that allows it. Requests from servers need no origin: they send none.',
  },
  SESSION_NOT_FOUND: {
    when: 'This caller has no such session.',
    whatToDo: 'Check the id, and that the credential belongs to the tenant and the session.',
  },
  ATTACHMENT_NOT_FOUND: {
    when: 'This caller has no such attachment.',
    whatToDo: 'Check the id and the credential. Upload a deleted file again.',
  },
  DELIVERY_NOT_FOUND: {
    when: 'This caller has no such delivery.',
    whatToDo: 'Check the id and the credential.',
  },
  AGENT_NOT_FOUND: {
    when: 'The session has no such agent.',
    whatToDo: 'Read the session for its agents, and name one of them.',
  },
  MESSAGE_NOT_FOUND: {
    when: 'The session has no such message.',
    whatToDo: 'Check the id, and that the message belongs to this session.',
  },
  GRANT_NOT_FOUND: {
    when: 'The session has no such grant, or it is already revoked.',
    whatToDo: 'Check the id against the log of the session. You need not revoke a grant twice.',
  },
  KEY_NOT_FOUND: {
    when: 'The tenant has no such API key.',
    whatToDo: 'List the keys of the tenant and use an id from there.',
  },
  SECRET_NOT_FOUND: {
    when: 'The tenant has no such secret.',
    whatToDo: 'List the secrets of the tenant, or save one under this name.',
  },
  TENANT_NOT_FOUND: {
    when: 'No tenant has this name. Only operator commands return this error.',
    whatToDo: 'List the tenants and use a name from there.',
  },
  DEAD_LETTER_NOT_FOUND: {
    when: 'There is no such dead letter. Only operator commands return this error.',
    whatToDo: 'List the dead letters and use an id from there.',
  },
  ROUTE_NOT_FOUND: {
    when: 'There is no such route.',
    whatToDo: 'Check method and path against the API reference at /docs.',
  },
  UPLOAD_TIMEOUT: {
    when: 'The upload sent no byte for 30 s, or less than 1 KiB/s over 30 s.',
    whatToDo: 'Upload again over a better connection.',
  },
  UPLOAD_CONFLICT: {
    when: 'Two uploads claim the same storage key.',
    whatToDo: 'Upload the file again.',
  },
  AGENT_NAME_TAKEN: {
    when: "A new agent's name is already taken in its session.",
    whatToDo: 'Choose another name.',
  },
  TENANT_NAME_TAKEN: {
    when: "A new tenant's name is already taken. Only operator commands return this error.",
    whatToDo: 'Choose another name.',
  },
  KEY_ENDED: {
    when: 'The API key is revoked, expired or already rotated, so it cannot be rotated.',
    whatToDo: 'Create a new key instead.',
  },
  SESSION_ENDED: {
    when: 'The session has ended. It can be read but not changed.',
    whatToDo: 'Continue in a new session.',
  },
  SESSION_PARKED: {
    when: 'Three times in a row, the service died while it delivered a message of this session, so it delivers none for now.',
    whatToDo: 'Ask the operator to find the cause and to unpark the session, or use a new session.',
  },
  NOT_RETRYABLE: {
    when: 'The delivery did not fail, or failed in a way that a retry cannot fix.',
    whatToDo: 'Read the failure of the delivery and send a corrected message.',
  },
  ALREADY_WRITTEN: {
    when: 'The delivery has already reached its end.',
    whatToDo: 'Do nothing: there is nothing left to cancel.',
  },
  ATTACHMENT_PENDING: {
    when: 'A named attachment is still being inspected.',
    whatToDo: 'Send the same request again in a moment, or wait until the session log says that the file is ready.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    when: 'A request with the same idempotency key is still in progress.',
    whatToDo: 'Send the same request again shortly. It gets the first answer.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    when: 'The idempotency key was used for another request before.',
    whatToDo: 'Use a new key for each new request.',
  },
  PAYLOAD_TOO_LARGE: {
    when: 'The request has more bytes than the limit allows.',
    whatToDo: 'Send less at once, or ask the operator to raise the limit.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: 'The body of the request has a Content-Encoding, such as gzip. No upload is refused for the type of its file.',
    whatToDo:
      'Send the body without a Content-Encoding. A compressed file is uploaded as it is, with its own Content-Type.',
  },
  RANGE_NOT_SATISFIABLE: {
    when: 'The Range header asks for bytes beyond the end of the file.',
    whatToDo: 'Ask for a range within the size of the file, or for the whole file.',
  },
  CHECKSUM_MISMATCH: {
    when: 'The bytes do not have the digest that the request states. For an agent that asks for a file: the store holds other bytes than were uploaded.',
    whatToDo: 'Upload the file again, and check how you compute the digest.',
  },
  ENCODING_MISMATCH: {
    when: 'The file is no text in the encoding that the request names.',
    whatToDo: 'Name the encoding in which the file was written, or none. Files that are no text have none.',
  },
  DELIVERY_BLOCKED: {
    when: 'The plan of a message blocks it. Its failures say why.',
    whatToDo: 'Do what each failure says and send the message again. The code of each failure has its own entry.',
  },
  TARGET_UNKNOWN: {
    when: 'The request names an unknown profile or a malformed model.',
    whatToDo: 'Name a profile that this installation offers, and a model as provider/model.',
  },
  RATE_LIMITED: {
    when: 'A credential or a tenant sent too many requests, or an address too many refused credentials.',
    whatToDo: 'Wait as long as Retry-After says.',
  },
  QUOTA_EXCEEDED: {
    when: "The tenant's quota is used up. If the answer has Retry-After, deleted files may still take their space in the store, or the tenant's agents have used the day's model tokens. Or the tenant has as many secrets as it may have.",
    whatToDo:
      'Delete files, or ask the operator to raise the quota. Where there is a Retry-After, wait that long. For secrets, delete one.',
  },
} as const satisfies Partial<Record<ErrorCode, ErrorExplanation>>;
