import { Fault, isFault } from '@attache/contracts';
import type { Settlement } from './event-bus.ts';

export const MAX_ATTEMPTS = 5;
/** While a server is away: with the growing delay, more than ten minutes. */
export const MAX_OUTAGE_ATTEMPTS = 29;
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

// A server that is away is no failure of the message.
const isOutage = (error: unknown): boolean =>
  isFault(error, 'DATABASE_UNAVAILABLE') || isFault(error, 'STORAGE_UNAVAILABLE');

/**
 * The edge map from errors to the bus: a retryable fault comes again after a delay, any other fault is dead at once, and so is
 * a bug after the last attempt; an outage may last longer. Reasons are codes and names, never messages, which may hold content.
 */
export function settleError(error: unknown, attempt: number, maxAttempts = MAX_ATTEMPTS): Settlement {
  const isFinal = error instanceof Fault && !error.retryable;
  if (isFinal) return { as: 'term', reason: describeError(error) };
  if (attempt >= (isOutage(error) ? MAX_OUTAGE_ATTEMPTS : maxAttempts))
    return { as: 'term', reason: `${describeError(error)} after ${attempt} attempts` };
  return { as: 'nak', delayMs: backoffMs(attempt) };
}
