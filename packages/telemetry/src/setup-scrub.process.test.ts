import { createTraceState, type Link, SpanStatusCode, trace } from '@opentelemetry/api';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FinishedSpan, startTelemetry } from './setup.ts';
import { createScrubbingExporter, MAX_VALUE_CHARACTERS } from './setup-scrub.ts';
import { withSpan } from './spans.ts';

type Exported = Parameters<ReturnType<typeof createScrubbingExporter>['export']>[0][number];

const redact = (text: string) => text.replaceAll('canary', '[redacted]');

let finished: FinishedSpan[] = [];
beforeAll(async () => {
  await startTelemetry({ serviceName: 'test', isExporting: false, redact, onSpanEnd: (span) => finished.push(span) });
});
beforeEach(() => {
  finished = [];
});

const context = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 };

/** Returns the form of one span that an exporter behind the guard gets. */
function passOn(span: Partial<Exported>): string {
  const full = { status: { code: SpanStatusCode.UNSET }, name: 'x', attributes: {}, links: [], events: [], ...span };
  let sent = '';
  const keep = {
    export(spans: Exported[]) {
      sent = JSON.stringify(spans);
    },
    shutdown: async () => {},
  };
  const exporter = createScrubbingExporter(keep, redact);
  exporter.export([{ spanContext: () => context, ...full } as unknown as Exported], () => {});
  return sent;
}

describe('a span that leaves the process', () => {
  it('is redacted in its name, attributes, events, links and status [S27]', () => {
    const link: Link = {
      context: { ...context, traceState: createTraceState('vendor=canary') },
      attributes: { note: 'canary' },
    };
    const sent = passOn({
      name: 'invoke_agent canary',
      attributes: { one: 'canary', many: ['canary', 'fine'], count: 3 },
      events: [{ name: 'canary', time: [0, 0], attributes: { note: 'canary' } }],
      links: [link],
      status: { code: SpanStatusCode.ERROR, message: 'canary' },
    });
    expect(sent).not.toContain('canary');
    expect(sent).toContain('invoke_agent [redacted]');
    expect(sent).toContain('"count":3');
  });

  it('has no long value, whatever was put into it [S27]', () => {
    const sent = passOn({ events: [{ name: 'long', time: [0, 0], attributes: { note: 'x'.repeat(5000) } }] });
    expect(sent).toContain('x'.repeat(MAX_VALUE_CHARACTERS));
    expect(sent).not.toContain('x'.repeat(MAX_VALUE_CHARACTERS + 1));
  });

  it('is redacted for a listener in the process too [S27]', async () => {
    await withSpan({ name: 'work', parent: 'root', attributes: { note: 'canary' } }, async () => {
      trace.getActiveSpan()?.addEvent('canary');
    });
    expect(finished[0]?.attributes).toEqual({ note: '[redacted]' });
  });
});
