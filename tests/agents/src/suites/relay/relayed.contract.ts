import { randomBytes } from 'node:crypto';
import type { ReceivedSpan } from '@attache/test-harness';
import { expect, it } from 'vitest';
import { type Driven, listen, type Suite } from '../../driven.ts';
import { png } from '../../files.ts';

/** Refusals in its log with other codes than these. */
function listRefused({ stack }: Driven, ...known: (Readonly<Record<string, string>> | undefined)[]): unknown[] {
  const codes = known.flatMap((each) => Object.keys(each ?? {}));
  return stack.logged('relay.refused').filter(({ refused }) => !codes.includes(String(refused)));
}

/** The requests that the programs' settings prevent. Comes after the suites that it looks at. */
export const describeRelayed: Suite = (runtime, use) => {
  it(`${runtime.key} asks its model API for nothing that the relay refuses: no WebSocket, no other model, no search of the provider [BX-24]`, () => {
    expect(listRefused(use(), runtime.refusedErrands)).toEqual([]);
  });
};

/** The same after its own tools were called, some of which ask the model API themselves. */
export const describeRelayedTools: Suite = (runtime, use) => {
  it(`tools of ${runtime.key} ask its model API for nothing else that the relay refuses [BX-24]`, () => {
    expect(listRefused(use(), runtime.refusedErrands, runtime.refusedOfTools)).toEqual([]);
  });
};

/** Names of a span and of all above it, up to the caller's. */
function nameWay(spans: readonly ReceivedSpan[], span: ReceivedSpan | undefined): string[] {
  if (span === undefined) return [];
  const above = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [span.name.split(' ')[0] ?? '', ...nameWay(spans, above)];
}

/** From the upload to the answer of the provider. */
export const describeRelayedTrace: Suite = (runtime, use) => {
  it(`one trace runs from an upload to the answer of the model of ${runtime.key} [BX-12 BX-24]`, async () => {
    const driven = use();
    const { api, otlp } = driven.stack;
    const { session, agent } = driven.place;
    const traceId = randomBytes(16).toString('hex');
    const headers = { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` };
    listen(driven, runtime.model);
    const { attachment } = await api.upload(session.id, png.bytes, { name: png.name, type: png.type, headers });
    await api.inspected(attachment.id);
    const draft = { to: [agent.id], text: 'Look.', attachmentIds: [attachment.id] };
    const { deliveries } = await api.send(session.id, draft, headers);
    expect(await api.settled(deliveries[0].id)).toMatchObject({ status: 'responded' });
    const isRelayed = ({ name, traceId: own }: ReceivedSpan) => name === 'relay.request' && own === traceId;
    // Spans come as they end: those above it later.
    const way = ['relay.request', 'invoke_agent', 'attachment.deliver', 'POST'];
    const findRequest = (all: readonly ReceivedSpan[]) => all.find(isRelayed);
    const spans = await otlp.waitFor((all) => nameWay(all, findRequest(all)).length === way.length);
    expect(nameWay(spans, findRequest(spans))).toEqual(way);
    expect(findRequest(spans)?.attributes).toMatchObject({
      ...{ 'http.response.status_code': 200, 'gen_ai.request.model': runtime.model },
    });
    const isUpload = ({ name, traceId: own }: ReceivedSpan) => own === traceId && name.includes('/attachments');
    expect(spans.some(isUpload)).toBe(true);
  });
};
