import type { FinishedSpan } from '@attache/telemetry/setup';

export type SpanNode<S> = { span: S; children: SpanNode<S>[] };

type Place = Pick<FinishedSpan, 'traceId' | 'spanId' | 'parentSpanId' | 'name' | 'links'>;

const placeOf = ({ traceId, spanId }: { traceId: string; spanId: string }) => `${traceId}/${spanId}`;

/** Spans as trees. A span whose parent is not among them is a root. */
export function buildSpanTree<S extends Place>(spans: readonly S[]): SpanNode<S>[] {
  const nodes = new Map(spans.map((span) => [placeOf(span), { span, children: [] as SpanNode<S>[] }]));
  const roots: SpanNode<S>[] = [];
  for (const node of nodes.values()) {
    const { traceId, parentSpanId = '' } = node.span;
    const parent = nodes.get(placeOf({ traceId, spanId: parentSpanId }));
    (parent?.children ?? roots).push(node);
  }
  return roots;
}

/** Faults in the parents and links of spans: each must be among them, unless it is named as outside. */
function findLooseEnds<S extends Place>(spans: readonly S[], outside: readonly string[] = []): string[] {
  const known = new Set(spans.map(placeOf));
  const isOutside = (spanId: string) => outside.includes(spanId);
  return spans.flatMap((span) => {
    const { traceId, name, parentSpanId, links } = span;
    const loose: string[] = [];
    if (
      parentSpanId !== undefined &&
      !known.has(placeOf({ traceId, spanId: parentSpanId })) &&
      !isOutside(parentSpanId)
    )
      loose.push(`${name}: the parent ${parentSpanId} is missing`);
    for (const link of links)
      if (!known.has(placeOf(link)) && !isOutside(link.spanId))
        loose.push(`${name}: the link to ${link.spanId} is missing`);
    return loose;
  });
}

/** Throws unless every parent and every link of the spans is among them, or named as outside. */
export function assertConnected<S extends Place>(spans: readonly S[], outside: readonly string[] = []): void {
  const loose = findLooseEnds(spans, outside);
  if (loose.length > 0) throw new Error(`the spans are not connected:\n${loose.join('\n')}`);
}
