import { type Attributes, context, type Link, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { contextFrom, parseTraceCarrier, type TraceCarrier } from './trace-context.ts';

export type SpanRequest = {
  /** `<operation> <destination>`, low cardinality. */
  name: string;
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer' | undefined;
  /** `active` (default): under the active span. A carrier: under that span. `root`: a trace of its own. */
  parent?: TraceCarrier | 'active' | 'root' | undefined;
  links?: readonly (TraceCarrier | undefined)[] | undefined;
  /** Ids, counts and short words; never content, keys or signatures. */
  attributes?: Attributes | undefined;
};

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

const tracer = trace.getTracer('attache');

function linksTo(carriers: SpanRequest['links']): Link[] {
  return (carriers ?? []).flatMap((carrier) => {
    const spanContext = parseTraceCarrier(carrier);
    return spanContext ? [{ context: spanContext }] : [];
  });
}

function parentContext(parent: SpanRequest['parent']) {
  if (parent === undefined || parent === 'active') return context.active();
  return contextFrom(parent === 'root' ? undefined : parent);
}

/** Starts a span that the caller ends. */
export function startSpan(request: SpanRequest): Span {
  const options = {
    kind: kinds[request.kind ?? 'internal'],
    links: linksTo(request.links),
    ...(request.attributes ? { attributes: request.attributes } : {}),
  };
  return tracer.startSpan(request.name, options, parentContext(request.parent));
}

/** Runs `work` inside a span; what it throws marks the span and is thrown on. */
export async function withSpan<T>(request: SpanRequest, work: (span: Span) => Promise<T>): Promise<T> {
  const span = startSpan(request);
  try {
    return await context.with(trace.setSpan(context.active(), span), () => work(span));
  } catch (error) {
    markFailed(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** Notes on the active span that something happened now. Attributes are of the span itself. */
export function noteEvent(name: string, attributes: Attributes = {}): void {
  trace.getActiveSpan()?.addEvent(name).setAttributes(attributes);
}

/** Marks a span as failed by the error's code or name; messages may hold what a trace must not. */
export function markFailed(span: Span, error: unknown): void {
  const code = (error as { code?: unknown } | undefined)?.code;
  const type = typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown';
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: type });
}

/** Runs `work` with the given span active, without ending it. */
export function runInSpan<T>(span: Span, work: () => T): T {
  return context.with(trace.setSpan(context.active(), span), work);
}
