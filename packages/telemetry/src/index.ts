export * from './events.ts';
export { createLogger, type Logger } from './logger.ts';
export { markFailed, runInSpan, type SpanRequest, startSpan, withSpan } from './spans.ts';
export { contextFrom, currentTrace, currentTraceId, parseTraceCarrier, type TraceCarrier } from './trace-context.ts';
