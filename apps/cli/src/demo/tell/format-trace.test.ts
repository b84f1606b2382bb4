import type { FinishedSpan } from '@attache/telemetry/setup';
import { describe, expect, it } from 'vitest';
import { formatTrace } from './format-trace.ts';

function span(spanId: string, parentSpanId: string | undefined, rest: Partial<FinishedSpan> = {}): FinishedSpan {
  const base = { traceId: 't', name: spanId, startMs: 1000, durationMs: 2, attributes: {}, links: [], isError: false };
  return { ...base, spanId, parentSpanId, ...rest };
}

describe('a trace as a tree', () => {
  it('shows children under their parent, in the order of their start, with one root', () => {
    const spans = [
      span('late', 'demo', { startMs: 1030 }),
      span('leaf', 'early', { startMs: 1020 }),
      span('early', 'demo', { startMs: 1010 }),
      span('demo', undefined, { durationMs: 50 }),
    ];
    const { lines, roots } = formatTrace(spans);
    expect(roots).toBe(1);
    expect(lines).toEqual([
      'demo (+0 ms, 50.0 ms)',
      '├─ early (+10 ms, 2.0 ms)',
      '│  └─ leaf (+20 ms, 2.0 ms)',
      '└─ late (+30 ms, 2.0 ms)',
    ]);
  });

  it('counts a span whose parent is not there as a root: a broken tree is seen', () => {
    const { lines, roots } = formatTrace([span('demo', undefined), span('lost', 'nowhere')]);
    expect(roots).toBe(2);
    expect(lines).toHaveLength(2);
  });

  it('names the chosen facts, links and failure, and no other attribute', () => {
    const attributes = { 'att.kind': 'image', 'att.name': 'secret.png', 'http.response.status_code': 201 };
    const links = [{ traceId: 'o', spanId: 'o' }];
    const { lines } = formatTrace([span('put', undefined, { attributes, links, isError: true })]);
    expect(lines).toEqual(['put (+0 ms, 2.0 ms, image, 201, links 1) failed']);
  });

  it('of nothing is nothing', () => {
    expect(formatTrace([])).toEqual({ lines: [], roots: 0 });
  });
});
