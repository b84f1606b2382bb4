import { trace } from '@opentelemetry/api';
import { destination, type Logger, type LoggerOptions as PinoOptions, pino } from 'pino';
import { scrubFields, scrubValue } from './scrub-fields.ts';

export type { Logger } from 'pino';

export type LoggerOptions = {
  service: string;
  level: string;
  /** Takes keys, signatures and media out of a text. */
  redact?: ((text: string) => string) | undefined;
  /** Standard error without it. */
  destination?: { write(line: string): void } | undefined;
};

type LogArguments = Parameters<NonNullable<NonNullable<PinoOptions['hooks']>['logMethod']>>[0];

// Pino takes an error's own text for the line's message if none is given.
function withMessage([fields, ...rest]: readonly unknown[]): unknown[] {
  const hasError = fields instanceof Error || (typeof fields === 'object' && fields !== null && 'err' in fields);
  if (!hasError) return [fields, ...rest];
  return [fields instanceof Error ? { err: fields } : fields, ...(rest.length === 0 ? ['failed'] : rest)];
}

/**
 * One JSON line per event, with trace and span id where there are some. Standard output belongs to results. No line holds an
 * error's message unless it is a fault, nor anything that `redact` knows.
 */
export function createLogger(options: LoggerOptions): Logger {
  const redact = options.redact ?? ((text: string) => text);
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      // Fields are scrubbed below, errors among them.
      serializers: { err: (described: unknown) => described },
      formatters: { log: (fields) => scrubFields(fields, redact) },
      hooks: {
        logMethod(args, method) {
          const [fields, ...rest] = withMessage(args);
          const texts = rest.map((argument) => scrubValue(argument, redact));
          const first = typeof fields === 'string' ? scrubValue(fields, redact) : fields;
          method.apply(this, [first, ...texts] as unknown as LogArguments);
        },
      },
      mixin: () => {
        const spanContext = trace.getActiveSpan()?.spanContext();
        return spanContext ? { traceId: spanContext.traceId, spanId: spanContext.spanId } : {};
      },
    },
    options.destination ?? destination({ fd: 2, sync: true }),
  );
}
