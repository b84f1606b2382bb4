export { describeProcess } from './describe-process.ts';
export * from './events.ts';
export { createLogger, type Logger, type LoggerOptions } from './logger.ts';
export {
  type Backlog,
  type OwnershipGauges,
  observeBacklog,
  observeBreaker,
  observeDeadLetters,
  observeOwnership,
} from './observe.ts';
export { createSeldom } from './say-seldom.ts';
export { markFailed, noteEvent, runInSpan, type SpanRequest, startSpan, withSpan } from './spans.ts';
export { currentTrace, currentTraceId, parseTraceCarrier, type TraceCarrier } from './trace-context.ts';
