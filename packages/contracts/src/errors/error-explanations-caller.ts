import type { ErrorCode } from './error-codes.ts';
import type { ErrorExplanation } from './error-explanation.ts';

/** Errors of which the request is the cause, or the state that it meets. */
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
    when: 'No credential, a wrong, expired or revoked one, or one of a suspended tenant.',
    whatToDo:
      'Send a valid API key or session token. Where it should be valid, ask the operator whether the tenant is suspended.',
  },
  INVALID_SIGNATURE: {
    when: 'A signed URL is missing a parameter, was altered, has expired, its generation was ended, or its tenant is suspended.',
    whatToDo: 'Ask for a new signed URL and use it unchanged.',
  },
  FORBIDDEN: {
    when: 'The caller may see the thing but lacks the right.',
    whatToDo: 'Use a credential that has the right which the detail names.',
  },
  SESSION_NOT_FOUND: {
    when: 'No such session for this caller.',
    whatToDo: 'Check the id, and that the credential is of the tenant and the session.',
  },
  ATTACHMENT_NOT_FOUND: {
    when: 'No such attachment for this caller.',
    whatToDo: 'Check the id and the credential. A deleted file has to be uploaded again.',
  },
  DELIVERY_NOT_FOUND: {
    when: 'No such delivery for this caller.',
    whatToDo: 'Check the id and the credential.',
  },
  AGENT_NOT_FOUND: {
    when: 'No such agent in this session.',
    whatToDo: 'Read the session for its agents, and name one of them.',
  },
  MESSAGE_NOT_FOUND: {
    when: 'No such message in this session.',
    whatToDo: 'Check the id, and that the message belongs to this session.',
  },
  GRANT_NOT_FOUND: {
    when: 'No such grant in this session, or it is already revoked.',
    whatToDo: 'Check the id against the log of the session. A grant that is already revoked needs nothing more.',
  },
  KEY_NOT_FOUND: {
    when: 'No such API key of this tenant.',
    whatToDo: 'List the keys of the tenant and use an id from there.',
  },
  SECRET_NOT_FOUND: {
    when: 'No such secret of this tenant.',
    whatToDo: 'List the secrets of the tenant, or save one under this name.',
  },
  TENANT_NOT_FOUND: {
    when: 'No tenant has this name; only the operator meets it.',
    whatToDo: 'List the tenants and use a name from there.',
  },
  DEAD_LETTER_NOT_FOUND: {
    when: 'No such dead letter; only the operator meets it.',
    whatToDo: 'List the dead letters and use an id from there.',
  },
  ROUTE_NOT_FOUND: {
    when: 'No such route.',
    whatToDo: 'Check method and path against the description of the API, which is served at /docs.',
  },
  UPLOAD_TIMEOUT: {
    when: 'The upload sent no byte for 30 s, or less than 1 KiB/s over 30 s.',
    whatToDo: 'Upload again over a better connection.',
  },
  UPLOAD_CONFLICT: {
    when: 'Two uploads claim the same place.',
    whatToDo: 'Upload the file again.',
  },
  AGENT_NAME_TAKEN: {
    when: "A new agent's name is already taken in its session.",
    whatToDo: 'Choose another name.',
  },
  TENANT_NAME_TAKEN: {
    when: "A new tenant's name is already taken; only the operator meets it.",
    whatToDo: 'Choose another name.',
  },
  KEY_ENDED: {
    when: 'The API key is revoked or expired, or was rotated before; it cannot be rotated.',
    whatToDo: 'Make a new key instead.',
  },
  SESSION_ENDED: {
    when: 'The session was ended; it can be read, not changed.',
    whatToDo: 'Continue in a new session.',
  },
  SESSION_PARKED: {
    when: 'Three times in a row the service died while it delivered a message of this session, so that nothing of it is delivered now.',
    whatToDo: 'Ask the operator to find the cause and to unpark the session, or use a new session.',
  },
  NOT_RETRYABLE: {
    when: 'The delivery did not fail, or failed in a way that trying again cannot mend.',
    whatToDo: 'Read the failure of the delivery and send a message that mends it.',
  },
  ALREADY_WRITTEN: {
    when: 'The delivery has already reached its end.',
    whatToDo: 'Nothing: there is nothing left to cancel.',
  },
  ATTACHMENT_PENDING: {
    when: 'A named attachment is still being inspected.',
    whatToDo: 'Send the same request again in a moment, or wait until the session log says that the file is ready.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    when: 'The same idempotency key is being worked on right now.',
    whatToDo: 'Send the same request again shortly; it gets the first answer.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    when: 'The idempotency key was used before for something else.',
    whatToDo: 'Use a new key for each new request.',
  },
  PAYLOAD_TOO_LARGE: {
    when: 'More bytes than the limit.',
    whatToDo: 'Send less at once, or have the operator raise the limit.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: 'Never in this release: no upload is refused for its type. The code is kept for a list of types that a tenant allows.',
    whatToDo: 'Nothing.',
  },
  RANGE_NOT_SATISFIABLE: {
    when: 'The Range header asks for bytes that are not there.',
    whatToDo: 'Ask for a range within the size of the file, or for the whole.',
  },
  CHECKSUM_MISMATCH: {
    when: 'The bytes do not have the digest that the request states. To an agent that asks for a file: the store holds other bytes than were uploaded.',
    whatToDo: 'Upload the file again, and check how the digest is made.',
  },
  DELIVERY_BLOCKED: {
    when: 'A message is blocked by its plan; its failures say why.',
    whatToDo: 'Do what each failure says and send the message again; each of their codes has a page of its own.',
  },
  TARGET_UNKNOWN: {
    when: 'An unknown profile or a malformed model.',
    whatToDo: 'Name a profile that this installation offers, and a model as provider/model.',
  },
  RATE_LIMITED: {
    when: 'A credential or a tenant sent too many requests, or an address too many refused credentials.',
    whatToDo: 'Wait as long as Retry-After says.',
  },
  QUOTA_EXCEEDED: {
    when: "The tenant's quota is used up; or, where the answer says when to come again, deleted files still take its room in the store. Or its agents have used the day's tokens of models; or it has as many secrets as a tenant may have.",
    whatToDo:
      'Delete files, or have the operator raise the quota; for tokens, wait as long as Retry-After says; of secrets, delete one.',
  },
} as const satisfies Partial<Record<ErrorCode, ErrorExplanation>>;
