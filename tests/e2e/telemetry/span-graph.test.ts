// hosted: every – trace context crosses processes in headers of bus messages
import { randomBytes } from 'node:crypto';
import {
  assertConnected,
  buildSpanTree,
  expectedTextSpans,
  findMissingSpans,
  makePng,
  type ReceivedSpan,
} from '@attache/test-harness';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type OwnStack, openOwnStack } from '../stack/stack.ts';

let stack: OwnStack;
beforeAll(async () => {
  stack = await openOwnStack();
});
afterAll(() => stack.stop());

it('a picture, its message and the agent’s own file are one tree over all services, and every link leads somewhere [BX-12]', async () => {
  const { api, watch } = stack;
  const { session, agent } = await api.createSession();
  const [traceId, callerSpanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const headers = { traceparent: `00-${traceId}-${callerSpanId}-01` };
  const { attachment } = await api.upload(session.id, makePng(24, 24), { headers });
  await api.inspected(attachment.id);
  const draft = { to: [agent.id], text: 'look', attachmentIds: [attachment.id] };
  const { deliveries } = await api.send(session.id, draft, headers);
  expect((await api.settled(deliveries[0].id)).status).toBe('responded');
  const graph = { stack: inject('stack'), callerSpanIds: [callerSpanId] };
  await watch.otlp.waitFor((spans) => findMissingSpans(spans, graph).length === 0).catch(() => undefined);
  const spans = watch.otlp.spans();
  expect(findMissingSpans(spans, graph)).toEqual([]);
  // A span that was sent before its parent ended is waited for: a parent that never comes is a broken tree.
  const isWhole = (received: readonly ReceivedSpan[]) => buildSpanTree(inTrace(received, traceId)).length === 2;
  await watch.otlp.waitFor(isWhole);
  const roots = buildSpanTree(inTrace(spans, traceId)).map(({ span }) => span.parentSpanId);
  expect(roots).toEqual([callerSpanId, callerSpanId]);
  assertConnected(watch.otlp.spans(), [callerSpanId]);
});

it('a text is ready without a hop, and what is made of it takes one [BX-12]', async () => {
  const { api, watch } = stack;
  const { session, agent } = await api.createSession();
  const [traceId, callerSpanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const headers = { traceparent: `00-${traceId}-${callerSpanId}-01` };
  const words = new Uint8Array(Buffer.from('\ufeffwords', 'utf16le'));
  const { attachment } = await api.upload(session.id, words, { name: 'a.txt', type: 'text/plain', headers });
  expect(attachment.status).toBe('ready');
  const draft = { to: [agent.id], text: 'look', attachmentIds: [attachment.id] };
  const { deliveries } = await api.send(session.id, draft, headers);
  expect((await api.settled(deliveries[0].id)).status).toBe('responded');
  const graph = { stack: inject('stack'), callerSpanIds: [callerSpanId] };
  const isThere = (received: readonly ReceivedSpan[]) =>
    findMissingSpans(received, graph, expectedTextSpans).length === 0;
  await watch.otlp.waitFor(isThere).catch(() => undefined);
  expect(findMissingSpans(watch.otlp.spans(), graph, expectedTextSpans)).toEqual([]);
  const names = inTrace(watch.otlp.spans(), traceId).map(({ name }) => name);
  expect(names.filter((name) => name.endsWith('attachment.added'))).toEqual(['create attachment.added']);
});

const inTrace = (spans: readonly ReceivedSpan[], traceId: string) => spans.filter((span) => span.traceId === traceId);
