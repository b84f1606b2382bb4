import { context, trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { contextFrom, currentTrace, currentTraceId, parseTraceCarrier } from './trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${spanId}-01`;

describe('parseTraceCarrier', () => {
  it('reads a version-00 header with its state', () => {
    const parsed = parseTraceCarrier({ traceparent, tracestate: 'vendor=1,other=2' });
    expect(parsed).toMatchObject({ traceId, spanId, traceFlags: 1, isRemote: true });
    expect(parsed?.traceState?.serialize()).toBe('vendor=1,other=2');
    expect(parseTraceCarrier({ traceparent: ` ${traceparent} ` })?.traceId).toBe(traceId);
  });

  it('keeps of the flags only whether it is sampled', () => {
    expect(parseTraceCarrier({ traceparent: `00-${traceId}-${spanId}-ff` })?.traceFlags).toBe(1);
    expect(parseTraceCarrier({ traceparent: `00-${traceId}-${spanId}-02` })?.traceFlags).toBe(0);
  });

  it.each([
    ['nothing', ''],
    ['a word', 'rubbish'],
    ['no flags', `00-${traceId}-${spanId}`],
    ['a later version', `01-${traceId}-${spanId}-01`],
    ['more after it', `${traceparent}-00`],
    ['two headers in one', `${traceparent},${traceparent}`],
    ['capitals', traceparent.toUpperCase()],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['a short trace id', `00-${traceId.slice(1)}-${spanId}-01`],
    ['what is no hex', `00-${'g'.repeat(32)}-${spanId}-01`],
    ['a line break', `00-${traceId}\n-${spanId}-01`],
    ['a very long value', '0'.repeat(1_000_000)],
  ])('ignores %s', (_name, value) => {
    expect(parseTraceCarrier({ traceparent: value })).toBeUndefined();
  });

  it('ignores a missing carrier, and a state that is rubbish or endless', () => {
    expect(parseTraceCarrier(undefined)).toBeUndefined();
    const parsed = parseTraceCarrier({ traceparent, tracestate: `bad key\r\n=1,${'x'.repeat(100_000)}` });
    expect(parsed?.traceId).toBe(traceId);
    expect(parsed?.traceState?.serialize().length ?? 0).toBeLessThanOrEqual(512);
  });
});

describe('contextFrom', () => {
  it('has the carried span as its parent', () => {
    expect(trace.getSpanContext(contextFrom({ traceparent }))).toMatchObject({ traceId, spanId, isRemote: true });
  });

  it('is a root without a carrier, and with rubbish, also inside a span', () => {
    const inside = trace.setSpanContext(context.active(), { traceId, spanId, traceFlags: 1 });
    context.with(inside, () => {
      expect(trace.getSpanContext(contextFrom(undefined))).toBeUndefined();
      expect(trace.getSpanContext(contextFrom({ traceparent: 'rubbish' }))).toBeUndefined();
    });
  });
});

describe('outside any span', () => {
  it('there is no trace to carry, and its id is zeros', () => {
    expect(currentTrace()).toBeUndefined();
    expect(currentTraceId()).toBe('0'.repeat(32));
  });
});
