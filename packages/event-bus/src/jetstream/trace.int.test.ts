import { randomUUID } from 'node:crypto';
import { insertOutboxMessage } from '@attache/database';
import { type TraceCarrier, withSpan } from '@attache/telemetry';
import { type FinishedSpan, startTelemetry, type Telemetry } from '@attache/telemetry/setup';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Backends,
  log,
  missing,
  openLink,
  openRelay,
  openRinging,
  startBackends,
} from '../../contract/jetstream-backends.contract.ts';
import { createJetstreamEventBus } from './event-bus.ts';
import { createRings } from './ring/rings.ts';

let backends: Backends;
let telemetry: Telemetry;
const spans: FinishedSpan[] = [];

const carrierOf = (span: Pick<FinishedSpan, 'traceId' | 'spanId'>): TraceCarrier => ({
  traceparent: `00-${span.traceId}-${span.spanId}-01`,
  tracestate: 'vendor=1',
});

describe.skipIf(missing)(missing ? `traces of the bus: ${missing}` : 'traces of the bus', () => {
  beforeAll(async () => {
    telemetry = await startTelemetry({
      ...{ serviceName: 'test', isExporting: false },
      onSpanEnd: (span) => spans.push(span),
    });
    backends = await startBackends();
  });
  afterAll(async () => {
    await backends.stop();
    await telemetry.stop();
  });

  it('link what is published and received to its creation, each in a trace of its own, and hand both on [BX-12]', async () => {
    const { db, doorbells } = backends;
    openRelay(backends, await openLink(backends.nats, 'ingest'));
    const link = await openLink(backends.nats, 'projector');
    const bus = createJetstreamEventBus({ link, db, doorbells, log });
    const consumer = bus.consume({
      ...{ consumer: 'projector', concurrency: 1 },
      handle: ({ subject, trace, receivedIn }) =>
        withSpan({ name: `process ${subject}`, kind: 'consumer', parent: trace, links: [receivedIn] }, async () => ({
          as: 'ack' as const,
        })),
    });
    const tenantId = randomUUID();
    const data = { tenantId, sessionId: randomUUID(), attachmentId: randomUUID() };
    const id = randomUUID();
    const created = await withSpan({ name: 'create attachment.added', parent: 'root' }, async (span) => {
      const { traceId, spanId } = span.spanContext();
      await insertOutboxMessage(db, { id, subject: 'attachment.added', data, trace: carrierOf({ traceId, spanId }) });
      return { traceId, spanId };
    });
    const named = (name: string) => spans.find((span) => span.name === `${name} attachment.added`);
    await vi.waitUntil(() => named('process'), { timeout: 60_000 });
    await consumer.stop();
    const [published, received, processed] = [named('publish'), named('receive'), named('process')];
    for (const span of [published, received]) {
      expect(span).toMatchObject({ parentSpanId: undefined, links: [created] });
      expect(span?.traceId).not.toBe(created.traceId);
      expect(span?.attributes).toMatchObject({ 'messaging.system': 'nats', 'messaging.batch.message_count': 1 });
    }
    expect(processed).toMatchObject({ traceId: created.traceId, parentSpanId: created.spanId });
    expect(processed?.links).toEqual([{ traceId: received?.traceId, spanId: received?.spanId }]);
    const said = JSON.stringify([published, received]);
    for (const secret of [tenantId, data.sessionId, data.attachmentId]) expect(said).not.toContain(secret);
  });

  it('link what is rung and received to its creation, and publish nothing [BX-12]', async () => {
    const { db, close } = await openRinging(backends);
    onTestFinished(close);
    openRelay(backends, await openLink(backends.nats, 'ingest'));
    const link = await openLink(backends.nats, 'projector');
    const rings = createRings(link);
    const bus = createJetstreamEventBus({ link, db: backends.db, doorbells: backends.doorbells, log, rings });
    const consumer = bus.consume({
      ...{ consumer: 'projector', concurrency: 1 },
      handle: ({ subject, trace, receivedIn }) =>
        withSpan({ name: `process ${subject}`, kind: 'consumer', parent: trace, links: [receivedIn] }, async () => ({
          as: 'ack' as const,
        })),
    });
    await link.nc.flush();
    const data = { tenantId: randomUUID(), sessionId: randomUUID(), jobId: randomUUID() };
    const created = await withSpan({ name: 'create projection.requested', parent: 'root' }, async (span) => {
      const { traceId, spanId } = span.spanContext();
      const trace = carrierOf({ traceId, spanId });
      await insertOutboxMessage(db, { id: randomUUID(), subject: 'projection.requested', data, trace });
      return { traceId, spanId };
    });
    const named = (name: string) => spans.find((span) => span.name === `${name} projection.requested`);
    await vi.waitUntil(() => named('process'), { timeout: 60_000 });
    await consumer.stop();
    expect(named('receive')).toMatchObject({ parentSpanId: undefined, links: [created] });
    expect(named('process')).toMatchObject({ traceId: created.traceId, parentSpanId: created.spanId });
    expect(named('process')?.links).toEqual([{ traceId: named('receive')?.traceId, spanId: named('receive')?.spanId }]);
    expect(named('publish')).toBeUndefined();
  });
});
