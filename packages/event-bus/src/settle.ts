import { Fault, isFault } from '@attache/contracts';
import type { Settlement } from './event-bus.ts';

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

// A server that is away is no failure of the message, however long it is away.
const isOutage = (error: unknown): boolean =>
  isFault(error, 'DATABASE_UNAVAILABLE') || isFault(error, 'STORAGE_UNAVAILABLE');

/**
 * The edge map from errors to the bus: what met an outage comes later, a retryable fault after a delay, any other fault is dead at
 * once, and so is a bug after the last attempt. Reasons are codes and names, never messages, which may hold content.
 */
export function settleError(error: unknown, attempt: number): Settlement {
  if (isOutage(error)) return { as: 'later' };
  const isFinal = error instanceof Fault && !error.retryable;
  if (isFinal) return { as: 'term', reason: describeError(error) };
  if (attempt >= MAX_ATTEMPTS) return { as: 'term', reason: `${describeError(error)} after ${attempt} attempts` };
  return { as: 'retry', delayMs: backoffMs(attempt) };
}

/** What becomes of a message whose earlier attempts ended without a word: each killed its process, or hung. Undefined: it may be tried. */
export function settleLost(attempt: number): Extract<Settlement, { as: 'term' }> | undefined {
  if (attempt <= MAX_ATTEMPTS) return undefined;
  return { as: 'term', reason: `not settled in ${attempt - 1} attempts` };
}

/** How many attempts were made of a message that dies at this one. */
export const attemptsMade = (attempt: number): number => Math.min(attempt, MAX_ATTEMPTS);
