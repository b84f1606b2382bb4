import { type ErrorCode, Fault } from '@attache/contracts';
import { exitCodes } from './exit-codes.ts';

const codes: Partial<Record<ErrorCode, number>> = {
  CONFIGURATION_INVALID: exitCodes.usage,
  INVALID_REQUEST: exitCodes.usage,
  ATTACHMENT_NOT_FOUND: exitCodes.notFound,
  TENANT_NOT_FOUND: exitCodes.notFound,
  KEY_NOT_FOUND: exitCodes.notFound,
  DEAD_LETTER_NOT_FOUND: exitCodes.notFound,
  DATABASE_UNAVAILABLE: exitCodes.dependencyDown,
  STORAGE_UNAVAILABLE: exitCodes.dependencyDown,
  FORBIDDEN: exitCodes.denied,
  UNAUTHENTICATED: exitCodes.denied,
  DELIVERY_BLOCKED: exitCodes.blocked,
};

/** The message about an error for a person, and the exit code. A bug keeps its stack, for whoever mends it. */
export function explainError(error: unknown): { message: string; exitCode: number } {
  if (error instanceof Fault) return { message: error.message, exitCode: codes[error.code] ?? exitCodes.failed };
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message: `Something went wrong that should not have:\n${detail}`, exitCode: exitCodes.failed };
}
