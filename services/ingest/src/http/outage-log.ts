import type { ErrorCode, Fault } from '@attache/contracts';
import type { Logger } from '@attache/telemetry';

const SAY_AGAIN_MS = 60_000;

/** Logs the cause of each code at most once a minute: thousands of requests may meet the same. */
export function createOutageLog(log: Pick<Logger, 'warn'>): (fault: Fault) => void {
  const saidAt = new Map<ErrorCode, number>();
  return (fault) => {
    const now = performance.now();
    if (now - (saidAt.get(fault.code) ?? Number.NEGATIVE_INFINITY) < SAY_AGAIN_MS) return;
    saidAt.set(fault.code, now);
    log.warn({ err: fault, code: fault.code }, 'request.unavailable');
  };
}
