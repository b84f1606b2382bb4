import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import {
  type Agent,
  type Attachment,
  type Delivery,
  Fault,
  isFault,
  type Session,
  type SessionEvent,
} from '@attache/contracts';
import { startStandalone } from '@attache/standalone';
import { withSpan } from '@attache/telemetry';
import { type FinishedSpan, startTelemetry } from '@attache/telemetry/setup';
import { invokedFrom, readDemoConfig } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { drawPicture } from './draw-picture.ts';
import { formatDelivery, formatFailures, formatReceipt } from './format-delivery.ts';
import { formatTrace } from './format-trace.ts';
import { createSteps, type Steps } from './steps.ts';

const DEADLINE_MS = 60_000;
const SPANS_SETTLE_MS = 150;

export type DemoOptions = { file: string | undefined; isTextOnly: boolean };

type Picture = { name: string; bytes: Uint8Array; mimeType: string };

const mimeTypes: Record<string, string> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

async function takePicture(file: string | undefined): Promise<Picture> {
  if (file === undefined) return { name: 'evening.png', bytes: drawPicture(), mimeType: 'image/png' };
  try {
    const mimeType = mimeTypes[extname(file).toLowerCase()] ?? 'application/octet-stream';
    // npm runs scripts in the package's folder; people mean the one they stand in.
    return { name: basename(file), bytes: await readFile(resolve(invokedFrom(), file)), mimeType };
  } catch (cause) {
    throw new Fault('INVALID_REQUEST', `The file ${file} cannot be read. Name a picture that is there.`, { cause });
  }
}

/** A running stack that the demo works on. */
export type DemoPlace = {
  url: string;
  apiKey: string;
  /** Where files that the agent makes are put. */
  outputFolder: string;
  /** Spans that ended in other processes than this one. */
  readSpans(): readonly FinishedSpan[];
  /** How long they may be on their way. */
  spansSettleMs: number;
  stop(): Promise<void>;
};

/** Brings a stack up; `title` is what the step is called. */
export type OpenPlace = { title: string; open(): Promise<DemoPlace> };

type Demo = { api: ApiClient; steps: Steps; place: DemoPlace };

async function openSession({ api, steps }: Demo, model: string): Promise<{ session: Session; agent: Agent }> {
  const target = { profile: 'example', model };
  const { session } = await steps.run('session with one agent', () =>
    api.post<{ session: Session }>('/sessions', { agents: [{ name: 'painter', role: 'lead', target }] }),
  );
  const [agent] = session.agents;
  if (!agent) throw new Error('the new session has no agent');
  return { session, agent };
}

async function upload({ api, steps }: Demo, session: Session, picture: Picture): Promise<Attachment> {
  const path = `/sessions/${session.id}/attachments?name=${encodeURIComponent(picture.name)}&source=task`;
  const { attachment } = await steps.run(
    'uploaded, stored and recorded',
    () => api.put<{ attachment: Attachment }>(path, picture.bytes, picture.mimeType),
    ({ attachment: stored }) => `${stored.id} ${stored.sizeBytes} bytes`,
  );
  return attachment;
}

/** Follows the session until the delivery has ended; answers the agent's words and the attachments that it gave back. */
async function followDelivery(
  { api }: Demo,
  session: Session,
  delivery: Delivery,
): Promise<{ answer: string; outputIds: string[] }> {
  const texts: string[] = [];
  const outputIds: string[] = [];
  for await (const { kind, data } of api.follow(`/sessions/${session.id}/events`, AbortSignal.timeout(DEADLINE_MS))) {
    const event = data as SessionEvent;
    const item = event.data?.item as { type: string; text?: string } | undefined;
    if (kind === 'agent.output' && item?.type === 'text' && item.text) texts.push(item.text);
    if (kind === 'attachment.added' && event.data.origin === 'tool-output')
      outputIds.push(String(event.data.attachmentId));
    const isOurs = event.data?.deliveryId === delivery.id;
    if (isOurs && (kind === 'delivery.responded' || kind === 'delivery.failed' || kind === 'delivery.cancelled')) break;
  }
  return { answer: texts.join('\n'), outputIds };
}

async function saveOutput({ api, steps, place }: Demo, outputId: string): Promise<string> {
  const folder = place.outputFolder;
  await mkdir(folder, { recursive: true });
  const { url } = await api.post<{ url: string }>(`/attachments/${outputId}/urls`, { ttlSeconds: 600 });
  const path = join(folder, `${outputId}.png`);
  await steps.run('derived image fetched by its signed URL', async () => {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`the signed URL answered ${response.status}`);
    await writeFile(path, new Uint8Array(await response.arrayBuffer()));
  });
  return path;
}

function checkDigest(picture: Picture, delivery: Delivery): string {
  const sent = delivery.receipt?.items[0]?.sha256;
  const original = createHash('sha256').update(picture.bytes).digest('hex');
  if (delivery.plan.items[0]?.becomes === 'native' && sent !== original) {
    throw new Error('the receipt does not name the bytes that were uploaded');
  }
  return String(sent);
}

async function runMainJob(demo: Demo, picture: Picture): Promise<void> {
  const { api, steps } = demo;
  const { session, agent } = await openSession(demo, 'example-vision');
  const attachment = await upload(demo, session, picture);
  const { deliveries } = await steps.run('message accepted, plan frozen', () =>
    api.post<{ deliveries: Delivery[] }>(`/sessions/${session.id}/messages`, {
      to: [agent.id],
      text: 'What do you see? Please make a card of it.',
      attachmentIds: [attachment.id],
    }),
  );
  const [queued] = deliveries;
  if (!queued) throw new Error('the message has no delivery');
  const { answer, outputIds } = await steps.run('delivered; the agent answered', () =>
    followDelivery(demo, session, queued),
  );
  const { delivery } = await api.get<{ delivery: Delivery }>(`/deliveries/${queued.id}`);
  if (delivery.status !== 'responded') {
    steps.show('The delivery failed', [
      delivery.failure?.userMessage ?? delivery.status,
      delivery.failure?.diagnostic ?? '',
    ]);
    throw new Fault('INTERNAL', `The delivery ended as ${delivery.status}.`);
  }
  const sha256 = checkDigest(picture, delivery);
  if (!answer.includes(sha256)) throw new Error('the agent does not name the digest of what it received');
  const [outputId] = outputIds;
  if (outputId === undefined) throw new Error('the agent gave no file back');
  const path = await saveOutput(demo, outputId);
  steps.show('The agent says', answer.trim().split('\n'));
  steps.show('Its file', [path]);
  if (delivery.receipt) steps.show('Receipt', formatReceipt(delivery.receipt));
  steps.show('Timeline', formatDelivery(delivery));
}

async function runRefusal(demo: Demo, picture: Picture): Promise<number> {
  const { api, steps } = demo;
  const { session, agent } = await openSession(demo, 'example-text');
  const attachment = await upload(demo, session, picture);
  const message = { to: [agent.id], text: 'What do you see?', attachmentIds: [attachment.id] };
  try {
    await api.post(`/sessions/${session.id}/messages`, message);
  } catch (error) {
    if (!isFault(error, 'DELIVERY_BLOCKED')) throw error;
    steps.show(
      'Refused before anything was sent',
      formatFailures(error.details.failures ?? [], error.details.plans ?? []),
    );
    return exitCodes.blocked;
  }
  throw new Error('a model without images took a picture');
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
  const picture = await takePicture(options.file);
  const place = await steps.run(opener.title, opener.open, ({ url }) => url);
  const demo: Demo = { api: createApiClient(place.url, place.apiKey), steps, place };
  try {
    if (options.isTextOnly) return await runRefusal(demo, picture);
    await withSpan({ name: 'demo', parent: 'root' }, () => runMainJob(demo, picture));
    await showTrace(demo, () => [...spans, ...place.readSpans()]);
    return exitCodes.done;
  } finally {
    await place.stop();
    await telemetry.stop();
  }
}
