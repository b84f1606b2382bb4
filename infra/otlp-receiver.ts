import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { FinishedSpan } from '@attache/telemetry/setup';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** A span as a collector gets it. */
export type ReceivedSpan = FinishedSpan & { service: string; kind: SpanKind; events: readonly string[] };

/** A collector in this process: OTLP over HTTP, as JSON, on a loopback port. */
export type OtlpReceiver = {
  /** As `OTEL_EXPORTER_OTLP_ENDPOINT` takes it. */
  url: string;
  spans(): readonly ReceivedSpan[];
  /** Waits until the predicate holds; answers the spans received by then. */
  waitFor(predicate: (spans: readonly ReceivedSpan[]) => boolean, timeoutMs?: number): Promise<readonly ReceivedSpan[]>;
  /** Every byte that was received, headers too. */
  raw(): string;
  stop(): Promise<void>;
};

type Value = {
  stringValue?: string;
  intValue?: string | number;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values?: Value[] };
};
type KeyValue = { key: string; value: Value };
type WireSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: KeyValue[];
  events?: { name: string }[];
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number };
};
type ExportRequest = {
  resourceSpans?: { resource?: { attributes?: KeyValue[] }; scopeSpans?: { spans?: WireSpan[] }[] }[];
};

const kinds: readonly SpanKind[] = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'];
const ERROR = 2;
// It ends a hang.
const WAIT_MS = 60_000;
const POLL_MS = 25;

function readValue(value: Value): unknown {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(readValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}

const readAttributes = (attributes: readonly KeyValue[] = []): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));

function readSpan(span: WireSpan, service: string): ReceivedSpan {
  const startMs = Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000;
  const endMs = Number(BigInt(span.endTimeUnixNano) / 1000n) / 1000;
  return {
    service,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId || undefined,
    name: span.name,
    kind: kinds[span.kind] ?? 'internal',
    startMs,
    durationMs: endMs - startMs,
    attributes: readAttributes(span.attributes),
    events: (span.events ?? []).map(({ name }) => name),
    links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
    isError: span.status?.code === ERROR,
  };
}

function readRequest(body: string): ReceivedSpan[] {
  return ((JSON.parse(body) as ExportRequest).resourceSpans ?? []).flatMap(({ resource, scopeSpans }) => {
    const service = String(readAttributes(resource?.attributes)['service.name'] ?? '');
    return (scopeSpans ?? []).flatMap(({ spans }) => (spans ?? []).map((span) => readSpan(span, service)));
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString('utf8');
}

/** Starts a collector for one test. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: ReceivedSpan[] = [];
  const raw: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    raw.push(JSON.stringify([request.url, request.headers]), body);
    const isSpans = request.url === '/v1/traces' && request.headers['content-type']?.includes('json');
    if (isSpans) received.push(...readRequest(body));
    response.writeHead(isSpans ? 200 : 415, { 'content-type': 'application/json' }).end('{}');
  });
  // A connection that ends just as an exporter uses it again would lose what it brings.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    spans: () => received,
    async waitFor(predicate, timeoutMs = WAIT_MS) {
      const until = Date.now() + timeoutMs;
      while (!predicate(received)) {
        const names = [...new Set(received.map(({ name }) => name))].sort();
        if (Date.now() > until) throw new Error(`the spans did not come; there are ${names.join(', ') || 'none'}`);
        await new Promise((wake) => setTimeout(wake, POLL_MS));
      }
      return received;
    },
    raw: () => raw.join('\n'),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
