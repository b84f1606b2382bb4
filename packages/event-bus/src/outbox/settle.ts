import { Fault, isFault } from '@attache/contracts';
import type { Settlement } from '../event-bus.ts';

export const MAX_ATTEMPTS = 5;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 30_000;

/** Delay before attempt `attempt + 1`: doubles from 200 ms to 30 s. */
export function backoffMs(attempt: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.max(0, attempt - 1));
}

function describeError(error: unknown): string {
  if (error instanceof Fault) return error.code;
  return error instanceof Error ? error.name : 'unknown error';
}

/** Whether the servers answer; each rejects where its own does not. */
export type ServerChecks = { checkDatabase: () => Promise<void>; checkStore?: (() => Promise<void>) | undefined };

/**
 * The edge map from errors to the bus. A server that is away is no failure of the message, however long it is away; nor is a process that
 * stops. One that refuses this message and answers otherwise is: an object that cannot be read, a statement that takes too long.
 */
export async function settleThrown(error: unknown, attempt: number, checks: ServerChecks): Promise<Settlement> {
  // This process stops taking messages before it gives up what it has in work.
  if (isFault(error, 'SHUTTING_DOWN')) return { as: 'later', delayMs: 0 };
  const check = isFault(error, 'DATABASE_UNAVAILABLE')
    ? checks.checkDatabase
    : isFault(error, 'STORAGE_UNAVAILABLE')
      ? // An unknown outcome waits.
        (checks.checkStore ?? (() => Promise.reject(error)))
      : undefined;
  if (!check) return settleError(error, attempt);
  const isAway = await check().then(
    () => false,
    () => true,
  );
  // The longest delay: it may have come back in this moment.
  return isAway ? { as: 'later' } : settleFailed(error, attempt, MAX_DELAY_MS);
}

/** A retryable fault comes again after a delay, any other fault is dead at once, and so is a bug after the last attempt. */
function settleError(error: unknown, attempt: number): Settlement {
  const isFinal = error instanceof Fault && !error.retryable;
  if (isFinal) return { as: 'term', reason: describeError(error) };
  return settleFailed(error, attempt, backoffMs(attempt));
}

// Reasons are codes and names, never messages, which may hold content.
function settleFailed(error: unknown, attempt: number, delayMs: number): Settlement {
  if (attempt < MAX_ATTEMPTS) return { as: 'retry', delayMs };
  return { as: 'term', reason: `${describeError(error)} after ${attempt} attempts` };
}

/** Settles a message whose earlier attempts ended without a result: each killed its process, or hung. Undefined: it may be tried. */
export function settleLost(attempt: number): Extract<Settlement, { as: 'term' }> | undefined {
  if (attempt <= MAX_ATTEMPTS) return undefined;
  return { as: 'term', reason: `not settled in ${attempt - 1} attempts` };
}

/** How many attempts were made of a message that dies at this one. */
export const attemptsMade = (attempt: number): number => Math.min(attempt, MAX_ATTEMPTS);
