// hosted: long – trace context crosses in span-graph.test.ts, too
import { randomBytes } from 'node:crypto';
import type { FinishedSpan } from '@attache/telemetry/setup';
import { makePng } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';

let stack: OwnStack;
beforeAll(async () => {
  stack = await openOwnStack();
});
afterAll(() => stack.stop());

function newTrace() {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
}

const traceIdOf = (headers: Headers) => String(headers.get('traceresponse')).split('-')[1];

/** All spans of a trace, once the ones that matter have ended. */
async function spansOf(traceId: string, needed: readonly string[]): Promise<FinishedSpan[]> {
  return vi.waitFor(
    () => {
      const spans = stack.spans().filter((span) => span.traceId === traceId);
      expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining([...needed]));
      return spans;
    },
    { timeout: 60_000, interval: 50 },
  );
}

/** Names from a span up to its root, or to what lies outside. */
function pathOf(span: FinishedSpan | undefined, spans: readonly FinishedSpan[]): string[] {
  if (!span) return [];
  return [
    span.name,
    ...pathOf(
      spans.find(({ spanId }) => spanId === span.parentSpanId),
      spans,
    ),
  ];
}

const upload = 'PUT /v1/sessions/{sessionId}/attachments';
const message = 'POST /v1/sessions/{sessionId}/messages';

describe('a platform whose traces are trusted', () => {
  it('sees upload, message, delivery and tool output in one connected tree [BX-12]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const { traceId, spanId, headers } = newTrace();
    const { attachment } = await api.upload(session.id, makePng(24, 24), { headers });
    await api.inspected(attachment.id);
    const draft = { to: [agent.id], text: 'look', attachmentIds: [attachment.id] };
    const { deliveries } = await api.send(session.id, draft, headers);
    const delivery = await api.settled(deliveries[0].id);
    expect(delivery.traceId).toBe(traceId);
    expect(new Set(delivery.timeline.map((step) => step.traceId))).toEqual(new Set([traceId]));
    const needed = [
      upload,
      message,
      'attachment.deliver',
      'invoke_agent agent-1',
      'POST /agent/outputs',
      'attachment.preview',
    ];
    const spans = await spansOf(traceId, needed);
    const known = new Set([spanId, ...spans.map((span) => span.spanId)]);
    await vi.waitFor(() => {
      for (const span of stack.spans().filter((each) => each.traceId === traceId)) known.add(span.spanId);
      expect(spans.filter(({ parentSpanId }) => !known.has(String(parentSpanId)))).toEqual([]);
    }, 60_000);
    const output = spans.find(({ name }) => name === 'POST /agent/outputs');
    const way = pathOf(
      output,
      stack.spans().filter((each) => each.traceId === traceId),
    );
    expect(way).toEqual(['POST /agent/outputs', 'invoke_agent agent-1', 'attachment.deliver', message]);
    const steps = (await api.events(session.id)).filter(({ kind }) => !/^(session|agent\.added)/.test(kind));
    expect(steps.filter((event) => event.traceId !== traceId).map(({ kind }) => kind)).toEqual([]);
  });

  it('sees each turn of one agent in the trace of its own message [BX-12]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const traces = [newTrace(), newTrace()];
    for (const { headers } of traces) {
      const { deliveries } = await api.send(session.id, { to: [agent.id], text: 'example: emit-base64' }, headers);
      await api.settled(deliveries[0].id);
    }
    const made = (await api.events(session.id)).filter(
      ({ kind, actor }) => actor.type === 'agent' && (kind === 'agent.output' || kind === 'attachment.added'),
    );
    const [first, second] = traces.map(({ traceId }) => made.filter((event) => event.traceId === traceId));
    expect(first?.length).toBeGreaterThan(0);
    expect(second?.map(({ kind }) => kind)).toEqual(first?.map(({ kind }) => kind));
    expect(made).toHaveLength(2 * (first?.length ?? 0));
  });
});

describe('anyone else', () => {
  it('gets traces of our own: upload and message apart, linked by the delivery [BX-12]', async () => {
    const { api } = stack;
    const { session, agent } = await api.createSession();
    const rights = ['attachments:read', 'attachments:write', 'messages:send', 'events:read'];
    const token = { externalUserId: 'anna', rights, ttlSeconds: 600 };
    const { body } = await api.call('POST', `/sessions/${session.id}/tokens`, { body: token });
    const credential = String(body.token);
    const given = newTrace();
    const uploaded = await api.call('PUT', `/sessions/${session.id}/attachments?name=a.png`, {
      credential,
      raw: makePng(25, 25),
      headers: { ...given.headers, 'content-type': 'image/png' },
    });
    const { id } = uploaded.body.attachment as { id: string };
    await api.inspected(id);
    const draft = { to: [agent.id], text: 'look', attachmentIds: [id] };
    const path = `/sessions/${session.id}/messages`;
    const sent = await api.call('POST', path, { credential, body: draft, headers: given.headers });
    const [delivery] = sent.body.deliveries as { id: string; traceId: string }[];
    await api.settled(String(delivery?.id));
    const [uploadTrace, messageTrace] = [String(traceIdOf(uploaded.headers)), String(traceIdOf(sent.headers))];
    expect(new Set([uploadTrace, messageTrace, given.traceId]).size).toBe(3);
    expect(delivery?.traceId).toBe(messageTrace);
    const uploadSpans = await spansOf(uploadTrace, [upload, 'create attachment.added']);
    const messageSpans = await spansOf(messageTrace, [message, 'attachment.deliver']);
    const root = uploadSpans.find(({ name }) => name === upload);
    expect(root).toMatchObject({ parentSpanId: undefined, links: [{ traceId: given.traceId, spanId: given.spanId }] });
    const created = uploadSpans.find(({ name }) => name === 'create attachment.added');
    const delivered = messageSpans.find(({ name }) => name === 'attachment.deliver');
    expect(delivered?.links).toEqual([{ traceId: uploadTrace, spanId: created?.spanId }]);
    expect(stack.spans().filter(({ traceId }) => traceId === given.traceId)).toEqual([]);
  });

  it('is told the trace of each answer, which is the requestId of an error', async () => {
    const { api } = stack;
    for (const credential of [api.apiKey, null]) {
      const answer = await api.call('GET', '/sessions/ses_AAAAAAAAAAAAAAAAAAAAAA', { credential });
      expect(answer.headers.get('traceresponse')).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/);
      expect(answer.body.requestId).toBe(traceIdOf(answer.headers));
    }
  });
});
