import type { Attributes, AttributeValue, Link } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

type Redact = (text: string) => string;

/** A long value in a span is content that lost its way. */
export const MAX_VALUE_CHARACTERS = 1024;

const cut = (text: string) => text.slice(0, MAX_VALUE_CHARACTERS);

function scrubAttribute(value: AttributeValue, redact: Redact): AttributeValue {
  if (typeof value === 'string') return cut(redact(value));
  if (!Array.isArray(value)) return value;
  return value.map((item) => (typeof item === 'string' ? cut(redact(item)) : item)) as AttributeValue;
}

function scrubAttributes(attributes: Attributes | undefined, redact: Redact): Attributes {
  const entries = Object.entries(attributes ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [key, scrubAttribute(value as AttributeValue, redact)]));
}

// The state that a stranger's header brought is the stranger's text.
function scrubLink(link: Link, redact: Redact): Link {
  const { traceState: _, ...context } = link.context;
  return { ...link, context, attributes: scrubAttributes(link.attributes, redact) };
}

/** The span as it may leave the process: whatever `redact` knows is out of its name, attributes, events, links and status. */
export function scrubSpan(span: ReadableSpan, redact: Redact): ReadableSpan {
  const { message } = span.status;
  return {
    name: cut(redact(span.name)),
    kind: span.kind,
    spanContext: () => span.spanContext(),
    ...(span.parentSpanContext ? { parentSpanContext: span.parentSpanContext } : {}),
    startTime: span.startTime,
    endTime: span.endTime,
    duration: span.duration,
    ended: span.ended,
    status: { code: span.status.code, ...(message === undefined ? {} : { message: cut(redact(message)) }) },
    attributes: scrubAttributes(span.attributes, redact),
    links: span.links.map((link) => scrubLink(link, redact)),
    events: span.events.map((event) => ({
      ...event,
      name: cut(redact(event.name)),
      attributes: scrubAttributes(event.attributes, redact),
    })),
    resource: span.resource,
    instrumentationScope: span.instrumentationScope,
    droppedAttributesCount: span.droppedAttributesCount,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
  };
}

/** An exporter that scrubs each span before the given one sends it. */
export function createScrubbingExporter(exporter: SpanExporter, redact: Redact): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(
        spans.map((span) => scrubSpan(span, redact)),
        done,
      );
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
