import type { ReceivedSpan, SpanKind } from '@attache/infra/otlp-receiver';

export type StackKind = 'embedded' | 'hosted';

type ServiceName = 'ingest' | 'projector' | 'runner-gateway';

/** One span that must be there, and its place in the tree. */
export type ExpectedSpan = {
  name: string;
  kind: SpanKind;
  /** The process that sends it, if each service is one of its own; any of several. */
  service: ServiceName | readonly ServiceName[];
  /** Name of its parent; `caller`: what the request brought; `none`: it is the first of its trace. */
  parent: string;
  /** Names of spans that it links to, each at least once. */
  links?: readonly string[];
  /** The same, on the hosted stack alone. */
  hostedLinks?: readonly string[];
  /** On one kind of stack alone. */
  only?: StackKind;
};

const upload = 'PUT /v1/sessions/{sessionId}/attachments';
const message = 'POST /v1/sessions/{sessionId}/messages';
const created = 'create attachment.added';
const delivered = 'attachment.deliver';

const invoked = 'invoke_agent agent-1';

/** The span that the consumer of a ring adds if it is another process: a trace of its own, linked to the span that made the message. */
const hearing = (subject: string, { to, createdBy }: { to: ServiceName; createdBy: string }): ExpectedSpan => ({
  ...{ name: `receive ${subject}`, service: to, kind: 'client', parent: 'none', links: [createdBy], only: 'hosted' },
});

/**
 * The spans of a trusted caller's upload of an image and message to the example agent, up to the agent's own file. The agent gets the image
 * as it is. A name may occur more than once: each row is one place in the tree.
 */
const expectedSpans: readonly ExpectedSpan[] = [
  { name: upload, kind: 'server', service: 'ingest', parent: 'caller' },
  { name: 'put blob', kind: 'client', service: 'ingest', parent: upload },
  { name: created, kind: 'producer', service: 'ingest', parent: upload },
  hearing('attachment.added', { to: 'projector', createdBy: created }),
  {
    name: 'process attachment.added',
    kind: 'consumer',
    service: 'projector',
    parent: created,
    hostedLinks: ['receive attachment.added'],
  },
  { name: 'attachment.inspect', kind: 'internal', service: 'projector', parent: 'process attachment.added' },
  { name: 'attachment.preview', kind: 'internal', service: 'projector', parent: 'process attachment.added' },
  { name: message, kind: 'server', service: 'ingest', parent: 'caller' },
  hearing('delivery.prepared', { to: 'runner-gateway', createdBy: message }),
  {
    name: 'process delivery.prepared',
    kind: 'consumer',
    service: 'runner-gateway',
    parent: message,
    hostedLinks: ['receive delivery.prepared'],
  },
  { name: delivered, kind: 'consumer', service: 'runner-gateway', parent: message, links: [created] },
  { name: 'agent.start', kind: 'internal', service: 'runner-gateway', parent: delivered },
  { name: 'attachment.materialise', kind: 'internal', service: 'runner-gateway', parent: delivered },
  { name: invoked, kind: 'internal', service: 'runner-gateway', parent: delivered },
  { name: 'GET /agent/attachments/{id}', kind: 'server', service: 'runner-gateway', parent: invoked },
  { name: 'attachment.authorize', kind: 'internal', service: 'runner-gateway', parent: 'GET /agent/attachments/{id}' },
  { name: 'POST /agent/outputs', kind: 'server', service: 'runner-gateway', parent: invoked },
  { name: created, kind: 'producer', service: 'runner-gateway', parent: 'POST /agent/outputs' },
  hearing('attachment.added', { to: 'projector', createdBy: created }),
];

type Graph = { spans: readonly ReceivedSpan[]; byId: Map<string, ReceivedSpan>; callerSpanIds: readonly string[] };

function parentNameOf(graph: Graph, { parentSpanId }: ReceivedSpan): string {
  if (parentSpanId === undefined) return 'none';
  return graph.byId.get(parentSpanId)?.name ?? (graph.callerSpanIds.includes(parentSpanId) ? 'caller' : 'missing');
}

function fits(graph: Graph, span: ReceivedSpan, expected: ExpectedSpan, stack: StackKind): boolean {
  if (span.name !== expected.name || span.kind !== expected.kind) return false;
  const services: readonly string[] = [expected.service].flat().map((service) => `attache-${service}`);
  if (stack === 'hosted' && !services.includes(span.service)) return false;
  if (parentNameOf(graph, span) !== expected.parent) return false;
  const linked = span.links.map(({ spanId }) => graph.byId.get(spanId)?.name);
  const links = [...(expected.links ?? []), ...(stack === 'hosted' ? (expected.hostedLinks ?? []) : [])];
  return links.every((name) => linked.includes(name));
}

/** The same of a text in UTF-16 that goes as UTF-8: it is ready at once, and its text is to be made. */
export const expectedTextSpans: readonly ExpectedSpan[] = [
  { name: upload, kind: 'server', service: 'ingest', parent: 'caller' },
  { name: 'put blob', kind: 'client', service: 'ingest', parent: upload },
  { name: created, kind: 'producer', service: 'ingest', parent: upload },
  { name: message, kind: 'server', service: 'ingest', parent: 'caller' },
  hearing('delivery.queued', { to: 'projector', createdBy: message }),
  {
    name: 'process delivery.queued',
    kind: 'consumer',
    service: 'projector',
    parent: message,
    links: [created],
    hostedLinks: ['receive delivery.queued'],
  },
  hearing('delivery.prepared', { to: 'runner-gateway', createdBy: 'process delivery.queued' }),
  {
    name: 'process delivery.prepared',
    kind: 'consumer',
    service: 'runner-gateway',
    parent: 'process delivery.queued',
    hostedLinks: ['receive delivery.prepared'],
  },
  { name: delivered, kind: 'consumer', service: 'runner-gateway', parent: message, links: [created] },
];

/** The expected spans that are not there; `callerSpanIds` are those that the requests brought along. */
export function findMissingSpans(
  spans: readonly ReceivedSpan[],
  { stack, callerSpanIds }: { stack: StackKind; callerSpanIds: readonly string[] },
  expected: readonly ExpectedSpan[] = expectedSpans,
): ExpectedSpan[] {
  const graph: Graph = { spans, byId: new Map(spans.map((span) => [span.spanId, span])), callerSpanIds };
  return expected
    .filter(({ only }) => only === undefined || only === stack)
    .filter((one) => !spans.some((span) => fits(graph, span, one, stack)));
}
