import type { Failure } from '../delivery/failure.ts';
import type { ProjectionPlan } from '../delivery/plan.ts';
import type { ErrorCode } from './error-codes.ts';

export type FaultDetails = {
  /** Whether the same request may succeed later, unedited. Decided where the fault is born. */
  retryable?: boolean;
  cause?: unknown;
  /** Seconds after which trying again makes sense. */
  retryAfterSeconds?: number;
  /** Why a message is blocked, by attachment and agent. */
  failures?: Failure[];
  plans?: ProjectionPlan[];
};

/** The one thrown error. `message` is shown to people: it says what is wrong and what to do, and holds no secret, path or content. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: FaultDetails;

  constructor(code: ErrorCode, message: string, details: FaultDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.retryable = details.retryable ?? false;
    this.details = details;
  }
}

/** Whether a caught value is a fault with this code. */
export function isFault(error: unknown, code?: ErrorCode): error is Fault {
  return error instanceof Fault && (code === undefined || error.code === code);
}
