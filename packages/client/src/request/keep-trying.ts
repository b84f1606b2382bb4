import { AttacheError } from '../errors/attache-error.ts';
import { isRetryableStatus } from '../errors/read-problem.ts';
import { abortedError, pause, waitUntilOnline } from './pause.ts';

/** Seconds between tries; after the last one the call gives up. */
const DELAYS_SECONDS = [0, 1, 3, 5];
const LAST_DELAY_SECONDS = 5;
/** A server that asks for more than this gets no second try: its error says how long to wait. */
const MAX_RETRY_AFTER_SECONDS = 60;

/** Whether the same request is worth sending again without anybody's help. */
export function isWorthRepeating({ code, status, retryAfterSeconds = 0 }: AttacheError): boolean {
  if (retryAfterSeconds > MAX_RETRY_AFTER_SECONDS || code === 'QUOTA_EXCEEDED') return false;
  if (code === 'NETWORK_FAILED' || code === 'IDEMPOTENCY_IN_PROGRESS') return true;
  return status !== undefined && isRetryableStatus(status);
}

/** Counts the failures in a row and says how long to wait after each. */
export type BackOff = {
  /** Milliseconds to wait; undefined once the row of delays is over. */
  next(error: AttacheError | undefined): number | undefined;
  /** Starts the row again: something got further than before. */
  reset(): void;
};

/** `isEndless`: the last delay repeats for ever. */
export function createBackOff({ isEndless = false } = {}): BackOff {
  let failures = 0;
  return {
    next(error) {
      const delay = DELAYS_SECONDS[failures] ?? (isEndless ? LAST_DELAY_SECONDS : undefined);
      failures += 1;
      if (delay === undefined) return undefined;
      // Clients that failed together do not come back together.
      const jittered = delay * (0.75 + Math.random() / 2);
      return Math.max(jittered, error?.retryAfterSeconds ?? 0) * 1000;
    },
    reset() {
      failures = 0;
    },
  };
}

type Trying = { signal?: AbortSignal | undefined; backOff?: BackOff; onWait?: (() => void) | undefined };

/** Repeats `attempt` until it succeeds, fails for good, or the row of delays is over. While the browser is offline it waits. */
export async function keepTrying<T>(attempt: () => Promise<T>, trying: Trying = {}): Promise<T> {
  const { signal, backOff = createBackOff(), onWait } = trying;
  for (;;) {
    if (signal?.aborted) throw abortedError(signal);
    await waitUntilOnline(signal);
    try {
      return await attempt();
    } catch (error) {
      if (signal?.aborted) throw abortedError(signal);
      if (!(error instanceof AttacheError) || !isWorthRepeating(error)) throw error;
      const delayMs = backOff.next(error);
      if (delayMs === undefined) throw error;
      onWait?.();
      await pause(delayMs, signal);
    }
  }
}
