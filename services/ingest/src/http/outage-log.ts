import type { Fault } from '@attache/contracts';
import { createSeldom, type Logger } from '@attache/telemetry';

/** Logs the cause of each code, seldom. */
export function createOutageLog(log: Pick<Logger, 'warn'>): (fault: Fault) => void {
  const isTime = createSeldom();
  return (fault) => {
    if (isTime(fault.code)) log.warn({ err: fault, code: fault.code }, 'request.unavailable');
  };
}
