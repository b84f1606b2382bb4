import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FinishedSpan, startTelemetry } from './setup.ts';
import { markFailed, runInSpan, startSpan, withSpan } from './spans.ts';
import { currentTrace, currentTraceId, parseTraceCarrier, type TraceCarrier } from './trace-context.ts';

let finished: FinishedSpan[] = [];

beforeAll(async () => {
  await startTelemetry({ serviceName: 'test', isExporting: false, onSpanEnd: (span) => finished.push(span) });
});
beforeEach(() => {
  finished = [];
});

function spanNamed(name: string): FinishedSpan {
  const found = finished.find((span) => span.name === name);
  if (!found) throw new Error(`no span ${name} ended`);
  return found;
}

const remote = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };

const failWith = (code: string) => Object.assign(new Error('canary'), { code });

/** Returns the part of an active span that a record carries. */
async function carrySpan(name: string): Promise<TraceCarrier> {
  const carrier = await withSpan({ name, parent: 'root' }, async () => currentTrace());
  if (!carrier) throw new Error('no span was active');
  return carrier;
}

describe('withSpan', () => {
  it('puts a span under the active one, across awaits [BX-12]', async () => {
    await withSpan({ name: 'outer', parent: 'root' }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      await withSpan({ name: 'inner', attributes: { 'att.size': 3 } }, async (span) => {
        expect(currentTraceId()).toBe(span.spanContext().traceId);
      });
    });
    const [outer, inner] = [spanNamed('outer'), spanNamed('inner')];
    expect(outer.parentSpanId).toBeUndefined();
    expect(inner).toMatchObject({ traceId: outer.traceId, parentSpanId: outer.spanId, attributes: { 'att.size': 3 } });
  });

  it('puts a span under a carried one: what an outbox row keeps joins two processes [BX-12]', async () => {
    const carrier = await carrySpan('create attachment.added');
    await withSpan({ name: 'process attachment.added', kind: 'consumer', parent: carrier }, async () => {});
    const [created, processed] = [spanNamed('create attachment.added'), spanNamed('process attachment.added')];
    expect(processed).toMatchObject({ traceId: created.traceId, parentSpanId: created.spanId });
  });

  it('starts a trace of its own when asked, and under rubbish [BX-12]', async () => {
    await withSpan({ name: 'outer', parent: 'root' }, async () => {
      await withSpan({ name: 'apart', parent: 'root' }, async () => {});
      await withSpan({ name: 'under rubbish', parent: { traceparent: 'rubbish' } }, async () => {});
    });
    for (const name of ['apart', 'under rubbish']) {
      expect(spanNamed(name).parentSpanId).toBeUndefined();
      expect(spanNamed(name).traceId).not.toBe(spanNamed('outer').traceId);
    }
  });

  it('links to the spans that made what it works on; rubbish and gaps make no link [BX-12]', async () => {
    const upload = await carrySpan('POST /sessions/{id}/attachments');
    const links = [upload, undefined, { traceparent: 'rubbish' }, remote];
    await withSpan({ name: 'attachment.deliver', parent: 'root', links }, async () => {});
    const expected = [upload, remote].map((carrier) => parseTraceCarrier(carrier));
    expect(spanNamed('attachment.deliver').links).toEqual(
      expected.map((to) => ({ traceId: to?.traceId, spanId: to?.spanId })),
    );
  });

  it('answers what the work answers, and throws on what it throws', async () => {
    expect(await withSpan({ name: 'fine' }, async () => 42)).toBe(42);
    expect(spanNamed('fine').isError).toBe(false);
    const error = new Error('no');
    await expect(withSpan({ name: 'bad' }, () => Promise.reject(error))).rejects.toBe(error);
    expect(spanNamed('bad').isError).toBe(true);
  });

  it('keeps a state that a carrier brought', async () => {
    const carrier = await withSpan({ name: 'with state', parent: { ...remote, tracestate: 'vendor=1' } }, async () =>
      currentTrace(),
    );
    expect(carrier).toMatchObject({ tracestate: 'vendor=1' });
  });

  it('cuts a long value: content that lost its way [S27]', async () => {
    await withSpan({ name: 'long', attributes: { note: 'x'.repeat(5000) } }, async () => {});
    expect(spanNamed('long').attributes.note).toHaveLength(1024);
  });
});

describe('markFailed', () => {
  it.each([
    ['a fault', failWith('STORAGE_UNAVAILABLE'), 'STORAGE_UNAVAILABLE'],
    ['a system error', failWith('ECONNREFUSED'), 'ECONNREFUSED'],
    ['a bug', new TypeError('canary'), 'TypeError'],
    ['a thrown string', 'canary', 'unknown'],
    ['nothing', undefined, 'unknown'],
  ])('tells of %s its code or class, never its words [S27 DL-41]', async (_name, error, type) => {
    const span = startSpan({ name: 'failing', parent: 'root' });
    markFailed(span, error);
    span.end();
    expect(spanNamed('failing')).toMatchObject({ isError: true, attributes: { 'error.type': type } });
    expect(JSON.stringify(finished)).not.toContain('canary');
  });

  it('says no words of an error that passes through a span either [S27]', async () => {
    const failing = withSpan({ name: 'failing' }, () => Promise.reject(failWith('INTERNAL')));
    await expect(failing).rejects.toThrow('canary');
    expect(JSON.stringify(finished)).not.toContain('canary');
  });
});

describe('runInSpan', () => {
  it('makes a span active without ending it', () => {
    const span = startSpan({ name: 'open', parent: 'root' });
    expect(runInSpan(span, currentTraceId)).toBe(span.spanContext().traceId);
    expect(finished).toEqual([]);
    span.end();
    expect(spanNamed('open').durationMs).toBeGreaterThanOrEqual(0);
  });
});
