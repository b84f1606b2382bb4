import { join } from 'node:path';
import { startStandalone } from '@attache/standalone';
import { withSpan } from '@attache/telemetry';
import { type FinishedSpan, startTelemetry } from '@attache/telemetry/setup';
import { exitCodes } from '../exit-codes.ts';
import { createApiClient } from './api-client.ts';
import { readDemoConfig } from './config.ts';
import type { Demo, DemoPlace } from './demo-calls.ts';
import { formatTrace } from './format-trace.ts';
import { showDocument } from './show-document.ts';
import { showPicture, showRefusal } from './show-picture.ts';
import { createSteps } from './steps.ts';
import { takeFiles } from './take-file.ts';

const SPANS_SETTLE_MS = 150;

export type DemoOptions = { file: string | undefined; isTextOnly: boolean };

/** Brings a stack up; `title` is what the step is called. */
export type OpenPlace = { title: string; open(): Promise<DemoPlace> };

const embedded: OpenPlace = {
  title: 'embedded stack started',
  async open() {
    const stack = await startStandalone(readDemoConfig());
    return {
      ...stack,
      outputFolder: join(stack.keyFile, '..', 'outputs'),
      readSpans: () => [],
      spansSettleMs: SPANS_SETTLE_MS,
    };
  },
};

/** Runs the main job on a stack, the embedded one by default, or shows the refusal; answers the exit code. */
export async function runDemo(options: DemoOptions, opener: OpenPlace = embedded): Promise<number> {
  const spans: FinishedSpan[] = [];
  const telemetry = await startTelemetry({
    serviceName: 'attache-demo',
    isExporting: readDemoConfig().isExportingTraces,
    onSpanEnd: (span) => spans.push(span),
  });
  const steps = createSteps();
  const { picture, document } = await takeFiles(options.file, options.isTextOnly);
  const place = await steps.run(opener.title, opener.open, ({ url }) => url);
  const demo: Demo = { api: createApiClient(place.url, place.apiKey), steps, place };
  try {
    if (picture !== undefined && options.isTextOnly) return await showRefusal(demo, picture);
    if (picture !== undefined) {
      await withSpan({ name: 'demo', parent: 'root' }, () => showPicture(demo, picture));
      await showTrace(demo, () => [...spans, ...place.readSpans()]);
    }
    if (document === undefined) return exitCodes.done;
    return await showDocument(demo, document, options);
  } finally {
    await place.stop();
    await telemetry.stop();
  }
}

async function showTrace({ steps, place }: Demo, readSpans: () => readonly FinishedSpan[]): Promise<void> {
  // Background work of the same trace, such as the preview, may still be ending.
  let count = -1;
  while (count !== readSpans().length) {
    count = readSpans().length;
    await new Promise((wake) => setTimeout(wake, place.spansSettleMs));
  }
  const spans = readSpans();
  const root = spans.find((span) => span.name === 'demo');
  const { lines, roots } = formatTrace(spans.filter((span) => span.traceId === root?.traceId));
  steps.show(`Trace ${root?.traceId} (${roots === 1 ? 'one connected tree' : `${roots} roots`})`, lines);
}
