import { join } from 'node:path';
import { Fault } from '@attache/contracts';
import { startStandalone } from '@attache/standalone';
import { withSpan } from '@attache/telemetry';
import { type FinishedSpan, startTelemetry } from '@attache/telemetry/setup';
import { exitCodes } from '../exit-codes.ts';
import { createApiClient } from './api-client.ts';
import { chooseAgent, type DemoAgent } from './choose-agent.ts';
import { readDemoConfig } from './config.ts';
import type { Demo, DemoPlace } from './demo-calls.ts';
import { showDocument } from './draw/show-document.ts';
import { showPicture, showRefusal } from './draw/show-picture.ts';
import { type DemoFiles, takeFiles } from './draw/take-file.ts';
import { showAgent } from './show-agent.ts';
import { showTakeover } from './show-takeover.ts';
import { createSteps } from './steps.ts';
import { formatTrace } from './tell/format-trace.ts';

const SPANS_SETTLE_MS = 150;

export type DemoOptions = {
  file: string | undefined;
  isTextOnly: boolean;
  /** A real agent in the place of the example agent. */
  profile?: string | undefined;
  model?: string | undefined;
};

/** Brings a stack up; `title` is what the step is called. */
export type OpenPlace = { title: string; open(): Promise<DemoPlace> };

/** The embedded stack; with only the profile of the agent that is shown, if that is a real one. */
function openEmbedded(agent?: DemoAgent): OpenPlace {
  return {
    title: 'embedded stack started',
    async open() {
      const config = readDemoConfig();
      const profiles = agent === undefined ? config.profiles : { [agent.profile]: agent.offered };
      const stack = await startStandalone({ ...config, profiles });
      for (const notice of stack.notices) process.stderr.write(`${notice}\n`);
      return {
        ...stack,
        outputFolder: join(stack.keyFile, '..', 'outputs'),
        readSpans: () => [],
        spansSettleMs: SPANS_SETTLE_MS,
      };
    },
  };
}

/** Runs the main job on a stack, the embedded one by default, or shows the refusal; answers the exit code. */
export async function runDemo(options: DemoOptions, opener?: OpenPlace): Promise<number> {
  const { profile, model, isTextOnly } = options;
  if (profile === undefined) {
    if (model !== undefined) throw new Fault('INVALID_REQUEST', '--model is the model of a --profile: name one.');
    return runOnStack(opener ?? openEmbedded(), options, (demo) => showExample(demo, options));
  }
  if (isTextOnly || opener !== undefined)
    throw new Fault('INVALID_REQUEST', '--profile goes with neither --text-only-model nor --stack: leave them out.');
  const choice = await chooseAgent(readDemoConfig(), profile, model);
  if (choice.status === 'chosen') {
    return runOnStack(openEmbedded(choice.agent), options, (demo) => showReal(demo, choice.agent));
  }
  process.stderr.write(`${choice.sentence}\n`);
  return choice.exitCode;
}

type Traced = Demo & { files: DemoFiles; readSpans(): readonly FinishedSpan[] };

async function runOnStack(
  opener: OpenPlace,
  { file, isTextOnly }: DemoOptions,
  show: (demo: Traced) => Promise<number>,
): Promise<number> {
  const spans: FinishedSpan[] = [];
  const telemetry = await startTelemetry({
    serviceName: 'attache-demo',
    isExporting: readDemoConfig().isExportingTraces,
    onSpanEnd: (span) => spans.push(span),
  });
  const steps = createSteps();
  const files = await takeFiles(file, isTextOnly);
  const place = await steps.run(opener.title, opener.open, ({ url }) => url);
  const api = createApiClient(place.url, place.apiKey);
  try {
    return await show({ api, steps, place, files, readSpans: () => [...spans, ...place.readSpans()] });
  } finally {
    await place.stop();
    await telemetry.stop();
  }
}

async function showExample(demo: Traced, options: DemoOptions): Promise<number> {
  const { picture, document } = demo.files;
  if (picture !== undefined && options.isTextOnly) return await showRefusal(demo, picture);
  if (picture !== undefined) {
    await withSpan({ name: 'demo', parent: 'root' }, async () => {
      await showPicture(demo, picture);
      await showTakeover(demo);
    });
    await showTrace(demo);
  }
  if (document === undefined) return exitCodes.done;
  return await showDocument(demo, document, options);
}

async function showReal(demo: Traced, agent: DemoAgent): Promise<number> {
  const { picture, document } = demo.files;
  const file = picture ?? document;
  if (file === undefined) throw new Error('there is no file to show');
  const exitCode = await withSpan({ name: 'demo', parent: 'root' }, () => showAgent(demo, file, agent));
  await showTrace(demo);
  return exitCode;
}

async function showTrace({ steps, place, readSpans }: Traced): Promise<void> {
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
