import type { Failure, ProjectionPlan } from '@attache/contracts';
import { type AttacheErrorCode, isKnownCode } from './error-codes.ts';

export type AttacheErrorDetails = {
  /** HTTP status; absent where no server answered. */
  status?: number | undefined;
  /** Whether the same call may succeed later, unedited. */
  retryable?: boolean | undefined;
  /** Seconds after which trying again makes sense, as the server says. */
  retryAfterSeconds?: number | undefined;
  /** Id of the request's trace on the server. Name it when you report a fault. */
  requestId?: string | undefined;
  failures?: Failure[] | undefined;
  plans?: ProjectionPlan[] | undefined;
  cause?: unknown;
};

// Two copies of this package in one page recognise each other's errors by it.
const MARK = Symbol.for('attache.error');

/**
 * The one error that calls of the client reject with. `message` is for people: it says what is wrong and what to do. `code` is stable;
 * `isKnown` is false for a code of a newer server.
 */
export class AttacheError extends Error {
  override readonly name = 'AttacheError';
  readonly code: string;
  readonly isKnown: boolean;
  readonly status: number | undefined;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly requestId: string | undefined;
  /** Why a message is blocked, by attachment and agent. */
  readonly failures: Failure[] | undefined;
  /** Plans of a blocked message, one for each agent. */
  readonly plans: ProjectionPlan[] | undefined;

  constructor(code: string, message: string, details: AttacheErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.isKnown = isKnownCode(code);
    this.status = details.status;
    this.retryable = details.retryable ?? false;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.requestId = details.requestId;
    this.failures = details.failures;
    this.plans = details.plans;
    Object.defineProperty(this, MARK, { value: true });
  }
}

type DetailsOf<C extends AttacheErrorCode> = C extends 'DELIVERY_BLOCKED'
  ? { readonly failures: Failure[]; readonly plans: ProjectionPlan[] }
  : C extends 'RATE_LIMITED'
    ? { readonly retryAfterSeconds: number }
    : unknown;

/** An error with this code, and what comes with it. */
export type AttacheErrorOf<C extends AttacheErrorCode> = AttacheError & {
  readonly code: C;
  readonly isKnown: true;
} & DetailsOf<C>;

/** Any error of the client. After `if (error.isKnown)`, a switch over `code` narrows it. */
export type AnyAttacheError =
  | { [C in AttacheErrorCode]: AttacheErrorOf<C> }[AttacheErrorCode]
  | (AttacheError & { readonly isKnown: false });

/** Whether a caught value is an error of the client, with this code if one is given. */
export function isAttacheError(error: unknown): error is AnyAttacheError;
export function isAttacheError<C extends AttacheErrorCode>(error: unknown, code: C): error is AttacheErrorOf<C>;
export function isAttacheError(error: unknown, code?: AttacheErrorCode): boolean {
  if (!(error instanceof Error) || !(MARK in error)) return false;
  return code === undefined || (error as Error as AttacheError).code === code;
}
