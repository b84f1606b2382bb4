import { Fault } from '@attache/contracts';
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

/**
 * The edge map from errors to the bus: a retryable fault comes again after a delay, any other fault is dead at once, and so is
 * a bug after five attempts. Reasons are codes and names, never messages, which may hold content.
 */
export function settleError(error: unknown, attempt: number): Settlement {
  const isFinal = error instanceof Fault && !error.retryable;
  if (isFinal) return { as: 'term', reason: describeError(error) };
  if (attempt >= MAX_ATTEMPTS) return { as: 'term', reason: `${describeError(error)} after ${attempt} attempts` };
  return { as: 'nak', delayMs: backoffMs(attempt) };
}
