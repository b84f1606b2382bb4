import { context, type HrTime, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type ReadableSpan, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { createScrubbingExporter, MAX_VALUE_CHARACTERS, scrubSpan } from './setup-scrub.ts';

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
  /** Whether events are counted, for `renderMetrics`. */
  hasMetrics?: boolean | undefined;
  /** Takes keys, signatures and media out of a text: the last guard before a span leaves the process. */
  redact?: ((text: string) => string) | undefined;
  onSpanEnd?: ((span: FinishedSpan) => void) | undefined;
};

export type Telemetry = {
  /** All metrics of this process, in the Prometheus text format (version 0.0.4). */
  renderMetrics(): Promise<string>;
  /** Sends what has ended and was not sent yet. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

type Redact = (text: string) => string;

/** How long a span that has ended waits for others to be sent with. */
const EXPORT_DELAY_MS = 500;

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

function createListener(onSpanEnd: (span: FinishedSpan) => void, redact: Redact): SpanProcessor {
  return {
    onStart() {},
    onEnd: (span) => onSpanEnd(describeSpan(scrubSpan(span, redact))),
    forceFlush: async () => {},
    shutdown: async () => {},
  };
}

async function createExporting(redact: Redact): Promise<SpanProcessor> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const exporter = new OTLPTraceExporter();
  const guarded = createScrubbingExporter(exporter, redact);
  return new BatchSpanProcessor({ exporter: guarded, scheduledDelayMillis: EXPORT_DELAY_MS });
}

/** Starts the SDK, once per process. Without an exporter spans still carry ids: every answer and record names its trace. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const redact = options.redact ?? ((text: string) => text);
  const resource = resourceFromAttributes({ 'service.name': options.serviceName });
  const spanProcessors: SpanProcessor[] = [];
  if (options.isExporting) spanProcessors.push(await createExporting(redact));
  if (options.onSpanEnd) spanProcessors.push(createListener(options.onSpanEnd, redact));
  const provider = new TracerProvider({
    resource,
    spanProcessors,
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_CHARACTERS },
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  // Loaded only where it is wanted: a command that ends at once counts nothing.
  const metrics = options.hasMetrics ? (await import('./setup-metrics.ts')).startMetrics(resource) : undefined;
  return {
    renderMetrics: async () => (metrics ? metrics.render() : '# this process counts nothing\n'),
    flush: () => provider.forceFlush(),
    async stop() {
      await metrics?.stop();
      await provider.shutdown();
    },
  };
}
