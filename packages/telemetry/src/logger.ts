import { trace } from '@opentelemetry/api';
import { destination, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** One JSON line per event on standard error, with the trace id where there is one. Standard output belongs to results. */
export function createLogger(options: { service: string; level: string }): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      mixin: () => {
        const spanContext = trace.getActiveSpan()?.spanContext();
        return spanContext ? { traceId: spanContext.traceId } : {};
      },
    },
    destination({ fd: 2, sync: true }),
  );
}
