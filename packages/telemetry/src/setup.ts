import { context, type HrTime, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

/** A finished span as plain data, for showing it without a collector. */
export type FinishedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  startMs: number;
  durationMs: number;
  attributes: Readonly<Record<string, unknown>>;
  links: readonly { traceId: string; spanId: string }[];
  isError: boolean;
};

export type TelemetryOptions = {
  serviceName: string;
  /** Whether to send spans by OTLP/HTTP; where to is read by the exporter from the standard `OTEL_*` variables. */
  isExporting: boolean;
  onSpanEnd?: ((span: FinishedSpan) => void) | undefined;
};

export type Telemetry = { stop(): Promise<void> };

const toMs = ([seconds, nanos]: HrTime) => seconds * 1000 + nanos / 1e6;

function describeSpan(span: ReadableSpan): FinishedSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    traceId,
    spanId,
    parentSpanId: span.parentSpanContext?.spanId,
    name: span.name,
    startMs: toMs(span.startTime),
    durationMs: toMs(span.duration),
    attributes: span.attributes,
    links: span.links.map((link) => ({ traceId: link.context.traceId, spanId: link.context.spanId })),
    isError: span.status.code === 2,
  };
}

function createListener(onSpanEnd: (span: FinishedSpan) => void): SpanProcessor {
  return {
    onStart() {},
    onEnd: (span) => onSpanEnd(describeSpan(span)),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
}

/** Starts the SDK, once per process. Without an exporter spans still carry ids: every answer and record names its trace. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const spanProcessors: SpanProcessor[] = [];
  if (options.isExporting) {
    const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
    spanProcessors.push(new BatchSpanProcessor({ exporter: new OTLPTraceExporter() }));
  }
  if (options.onSpanEnd) spanProcessors.push(createListener(options.onSpanEnd));
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.serviceName }),
    spanProcessors,
    // A long value in a span is content that lost its way.
    spanLimits: { attributeValueLengthLimit: 1024 },
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return { stop: () => provider.shutdown() };
}
