import { AttacheError } from '../errors/attache-error.ts';

/** The error of a call whose `signal` was aborted. */
export function abortedError(signal: AbortSignal): AttacheError {
  return new AttacheError('REQUEST_ABORTED', 'The call was aborted.', { cause: signal.reason });
}

/** Resolves after `ms`; rejects at once when `signal` aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return settleOrAbort(signal, (settle) => {
    const timer = setTimeout(settle, ms);
    return () => clearTimeout(timer);
  });
}

type EventSource = {
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
};

/** Resolves at once, or when the browser is back online. Elsewhere nothing is known of it, and nothing is waited for. */
export function waitUntilOnline(signal?: AbortSignal): Promise<void> {
  const surroundings = globalThis as unknown as Partial<EventSource> & { navigator?: { onLine?: boolean } };
  if (surroundings.navigator?.onLine !== false || !surroundings.addEventListener) return Promise.resolve();
  return settleOrAbort(signal, (settle) => {
    surroundings.addEventListener?.('online', settle);
    return () => surroundings.removeEventListener?.('online', settle);
  });
}

function settleOrAbort(signal: AbortSignal | undefined, begin: (settle: () => void) => () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortedError(signal));
    const onAbort = () => {
      end();
      if (signal) reject(abortedError(signal));
    };
    const end = begin(() => {
      signal?.removeEventListener('abort', onAbort);
      end();
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
