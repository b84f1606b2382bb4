import {
  type Context,
  context,
  createTraceState,
  isSpanContextValid,
  type SpanContext,
  trace,
} from '@opentelemetry/api';

/** W3C trace context as it is in outbox rows, bus headers and `_meta` of protocol frames. */
export type TraceCarrier = { traceparent: string; tracestate?: string | undefined };

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

function formatSpanContext(spanContext: SpanContext): TraceCarrier {
  const flags = spanContext.traceFlags.toString(16).padStart(2, '0');
  const tracestate = spanContext.traceState?.serialize();
  return {
    traceparent: `00-${spanContext.traceId}-${spanContext.spanId}-${flags}`,
    ...(tracestate ? { tracestate } : {}),
  };
}

/** Undefined for anything that is not a valid version-00 header: a caller's rubbish is ignored, as W3C asks. */
export function parseTraceCarrier(carrier: TraceCarrier | undefined): SpanContext | undefined {
  const match = TRACEPARENT.exec(carrier?.traceparent.trim() ?? '');
  if (!match) return undefined;
  const [, traceId = '', spanId = '', flags = '00'] = match;
  const spanContext: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(carrier?.tracestate ? { traceState: createTraceState(carrier.tracestate.slice(0, 512)) } : {}),
  };
  return isSpanContextValid(spanContext) ? spanContext : undefined;
}

/** Trace context of the active span, to be kept with a record or sent along. */
export function currentTrace(): TraceCarrier | undefined {
  const spanContext = trace.getActiveSpan()?.spanContext();
  return spanContext && isSpanContextValid(spanContext) ? formatSpanContext(spanContext) : undefined;
}

/** Id of the active trace; 32 zeros outside any. */
export function currentTraceId(): string {
  return trace.getActiveSpan()?.spanContext().traceId ?? '0'.repeat(32);
}

/** A context whose parent is the carried span; without one, a root. */
export function contextFrom(carrier: TraceCarrier | undefined): Context {
  const spanContext = parseTraceCarrier(carrier);
  const root = trace.deleteSpan(context.active());
  return spanContext ? trace.setSpanContext(root, spanContext) : root;
}
