import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  logAttachmentInspected,
  logDeliveryMoved,
  logMessageBlocked,
  logMessageDead,
  logSessionsRecovered,
  logUploadAccepted,
  logUploadRefused,
  recordPublished,
  recordReceived,
  recordRequest,
  recordStripped,
} from './events.ts';
import { createLogger } from './logger.ts';
import { observeBacklog, observeBreaker, observeDeadLetters } from './observe.ts';
import { startTelemetry, type Telemetry } from './setup.ts';
import { MAX_SERIES } from './setup-metrics.ts';

const log = createLogger({
  service: 'test',
  level: 'info',
  destination: new Writable({ write: (_a, _b, done) => done() }),
});
const ids = { attachmentId: 'att_AAAAAAAAAAAAAAAAAAAAAA', sessionId: 'ses_AAAAAAAAAAAAAAAAAAAAAA' };

let telemetry: Telemetry;
beforeAll(async () => {
  // Before the start: it must count once the SDK is there.
  recordRequest({ route: '/early', method: 'GET', status: 200, durationMs: 1 });
  telemetry = await startTelemetry({ serviceName: 'test', isExporting: false, hasMetrics: true });
});
afterAll(() => telemetry.stop());

/** Lines of one metric. */
async function read(metric: string): Promise<string[]> {
  const text = await telemetry.renderMetrics();
  return text.split('\n').filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `));
}

describe('requests', () => {
  it('are counted and timed by route, method and class of status; refusals by code', async () => {
    recordRequest({ route: '/sessions/{sessionId}', method: 'GET', status: 200, durationMs: 30 });
    recordRequest({ route: '/sessions/{sessionId}', method: 'GET', status: 204, durationMs: 3000 });
    recordRequest({ route: 'none', method: 'BREW', status: 401, durationMs: 1, code: 'UNAUTHENTICATED' });
    recordRequest({ route: '/messages', method: 'POST', status: 429, durationMs: 1, code: 'RATE_LIMITED' });
    const route = 'route="/sessions/{sessionId}",method="GET",status="2xx"';
    expect(await read('http_server_request_duration_seconds_count')).toContain(
      `http_server_request_duration_seconds_count{${route}} 2`,
    );
    const buckets = await read('http_server_request_duration_seconds_bucket');
    expect(buckets).toContain(`http_server_request_duration_seconds_bucket{${route},le="0.05"} 1`);
    expect(buckets).toContain(`http_server_request_duration_seconds_bucket{${route},le="5"} 2`);
    expect(buckets.some((line) => line.includes('method="other"'))).toBe(true);
    expect(await read('attache_authz_denials_total')).toEqual([
      'attache_authz_denials_total{code="UNAUTHENTICATED"} 1',
    ]);
    expect(await read('attache_rate_limited_total')).toEqual(['attache_rate_limited_total{code="RATE_LIMITED"} 1']);
  });
});

describe('what happens on the way of an attachment', () => {
  it('is counted by state and code, with its time and its bytes', async () => {
    const upload = { ...ids, mimeType: 'image/png', sizeBytes: 100, durationMs: 20, status: 'pending' as const };
    logUploadAccepted(log, upload);
    logUploadAccepted(log, { ...upload, isReplay: true });
    logUploadRefused(log, { ...ids, code: 'PAYLOAD_TOO_LARGE', sizeBytes: 5 });
    logAttachmentInspected(log, {
      ...ids,
      status: 'rejected',
      kind: 'image',
      code: 'attachment_decode_failed',
      durationMs: 1,
    });
    logMessageBlocked(log, { ...ids, codes: ['delivery_too_large'] });
    logDeliveryMoved(log, { deliveryId: 'dlv_A', status: 'responded', sinceAcceptedMs: 700 });
    expect(await read('attache_uploads_total')).toEqual([
      'attache_uploads_total{outcome="accepted",code=""} 1',
      'attache_uploads_total{outcome="replayed",code=""} 1',
      'attache_uploads_total{outcome="refused",code="PAYLOAD_TOO_LARGE"} 1',
    ]);
    expect(await read('attache_upload_bytes_total')).toEqual(['attache_upload_bytes_total 100']);
    expect(await read('attache_inspections_total')).toEqual([
      'attache_inspections_total{status="rejected",kind="image",code="attachment_decode_failed"} 1',
    ]);
    expect(await read('attache_messages_total')).toEqual([
      'attache_messages_total{outcome="blocked",code="delivery_too_large"} 1',
    ]);
    expect(await read('att_delivery_duration_seconds_bucket')).toContain(
      'att_delivery_duration_seconds_bucket{status="responded",le="1"} 1',
    );
    expect(await read('att_stage_duration_seconds_count')).toEqual([
      'att_stage_duration_seconds_count{stage="store"} 1',
      'att_stage_duration_seconds_count{stage="inspect"} 1',
    ]);
  });

  it('is counted where it repeats, is given up, taken over or taken out', async () => {
    recordReceived({ subject: 'attachment.added', attempt: 1 });
    recordReceived({ subject: 'attachment.added', attempt: 2 });
    recordPublished({ subject: 'attachment.added', outcome: 'published', count: 3 });
    logMessageDead(log, { subject: 'attachment.added', eventId: 'e', reason: 'INTERNAL', attempts: 5 });
    logSessionsRecovered(log, { sessions: 2 });
    logSessionsRecovered(log, { sessions: 0 });
    recordStripped({ count: 1, bytes: 300 });
    const text = await telemetry.renderMetrics();
    for (const line of [
      'attache_bus_redeliveries_total{subject="attachment.added"} 1',
      'attache_relay_publishes_total{subject="attachment.added",outcome="published"} 3',
      'attache_bus_dead_letters_total{subject="attachment.added"} 1',
      'attache_lease_takeovers_total 2',
      'attache_stripped_bytes_total 300',
    ])
      expect(text.split('\n')).toContain(line);
  });
});

describe('gauges', () => {
  it('are read when they are asked for', async () => {
    let waiting = 7;
    const stops = [
      observeBacklog(async () => ({ waiting, oldestMs: 1500, published: 2 })),
      observeDeadLetters(async () => 3),
      observeBreaker(() => true),
    ];
    expect(await read('attache_outbox_messages')).toEqual([
      'attache_outbox_messages{state="waiting"} 7',
      'attache_outbox_messages{state="published"} 2',
    ]);
    waiting = 1;
    const text = await telemetry.renderMetrics();
    for (const line of [
      'attache_outbox_messages{state="waiting"} 1',
      'attache_outbox_oldest_age_seconds 1.5',
      'attache_dead_letters 3',
      'attache_blob_store_breaker_open 1',
    ])
      expect(text.split('\n')).toContain(line);
    for (const stop of stops) stop();
  });

  it('that cannot be read are no number, and leave the rest to be read', async () => {
    const stops = [
      observeBacklog(() => Promise.reject(new Error('the database is down'))),
      observeDeadLetters(() => new Promise(() => {})),
    ];
    const text = await telemetry.renderMetrics();
    for (const stop of stops) stop();
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.e-]+$/m);
    expect(text).toMatch(/^process_cpu_seconds_total\{mode="user"\} [\d.]+$/m);
    expect(text).toMatch(/^attache_outbox_messages\{state="waiting"\} NaN$/m);
    expect(text).toMatch(/^attache_dead_letters NaN$/m);
  });
});

describe('labels', () => {
  it('are never ids, and a label that grows ends in one series of overflow', async () => {
    for (let index = 0; index < MAX_SERIES + 200; index += 1) recordReceived({ subject: `grown.${index}`, attempt: 2 });
    const series = await read('attache_bus_redeliveries_total');
    expect(series.length).toBeLessThanOrEqual(MAX_SERIES + 1);
    expect(series.filter((line) => line.includes('otel_metric_overflow="true"'))).toHaveLength(1);
    expect(await telemetry.renderMetrics()).not.toMatch(/="[^"]*(att|ses|dlv|msg|agt)_/);
  });
});
