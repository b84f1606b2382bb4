import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Delivery, DeliveryStatus, SessionEvent } from '@attache/contracts';
import { drawNoise } from '../../inputs/draw-pictures.ts';
import { hashOf } from '../../inputs/random-bodies.ts';
import { findAgentProcesses } from '../../processes/agent-processes.ts';
import { exampleAgentCommand, startFloorProgram } from '../../processes/programs.ts';
import { type Followed, followEvents } from '../../product/follow-events.ts';
import { createHttpClient, type HttpClient } from '../../product/http-client.ts';
import { measureLargePrompt } from '../../product/measure-large-prompt.ts';
import {
  createSession,
  endSession,
  parseAnswer,
  postJson,
  putFile,
  readDelivery,
  readUpload,
  sendMessage,
  waitUntilInspected,
} from '../../product/product-calls.ts';
import { compare, type Result } from '../../report/result.ts';
import { interleave, pause, type Sides } from '../../report/sample.ts';
import type { EmbeddedBench } from '../bench.ts';
import type { Product } from '../start-programs.ts';

// An agent takes twenty pictures: four samples of four deliveries, and one that warms both sides.
const AGENTS = 10;
const SAMPLES_PER_AGENT = 4;
/** The times of a delivery are whole milliseconds: a sample is the mean of a few. */
const DELIVERIES_PER_SAMPLE = 4;
const SIZE_BYTES = 1_000_000;
const MAX_RATIO = 1.3;
const REST_MS = 20;
// The agent refuses at once: it is the same program on both sides, and its own work is not measured.
const TEXT = 'example: refuse';

type Picture = { bytes: Uint8Array; sizeBytes: number; mimeType: string; name: string };

/** The path of the one file with these bytes in the product. */
async function findBlob({ dataDir }: Product, { bytes, sizeBytes }: Picture): Promise<string> {
  const entries = await readdir(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    // A temporary file of a preview may be gone by now.
    const found = entry.isFile() ? await stat(path).catch(() => undefined) : undefined;
    if (found?.size !== sizeBytes) continue;
    if (hashOf(await readFile(path)) === hashOf(bytes)) return path;
  }
  throw new Error('The file of an upload was not found.');
}

function timeBetween({ timeline }: Delivery, from: DeliveryStatus, to: DeliveryStatus): number {
  const timeOf = (status: DeliveryStatus) => Date.parse(timeline.find((step) => step.status === status)?.at ?? '');
  return timeOf(to) - timeOf(from);
}

async function takeMean(deliver: () => Promise<number>): Promise<number> {
  let sumMs = 0;
  for (let count = 0; count < DELIVERIES_PER_SAMPLE; count += 1) {
    sumMs += await deliver();
    await pause(REST_MS);
  }
  return sumMs / DELIVERIES_PER_SAMPLE;
}

type Place = { client: HttpClient; sessionId: string; agentId: string; attachmentId: string; followed: Followed };

// Asked for afterwards: whoever asks meanwhile takes the product's time.
async function deliver({ client, sessionId, agentId, attachmentId, followed }: Place): Promise<number> {
  const draft = { to: [agentId], text: TEXT, attachmentIds: [attachmentId] };
  const { id } = await sendMessage(client, sessionId, draft);
  await followed.arrival('delivery.responded', id, 'delivery.failed');
  return timeBetween(await readDelivery(client, id), 'claimed', 'written');
}

async function deliverBare(floor: HttpClient, path: string, { mimeType }: Picture): Promise<number> {
  return parseAnswer<{ tookMs: number }>(await postJson(floor, '/', { path, mimeType, text: TEXT }), 200).tookMs;
}

/** Samples of one agent of each side. Throws if the product's was started more than once. */
async function measureAgent({ product }: EmbeddedBench, floor: HttpClient, picture: Picture): Promise<Sides<number[]>> {
  const { client, pid } = product;
  const { session, agent } = await createSession(client);
  const { attachment } = readUpload(await putFile(client, session.id, picture));
  await waitUntilInspected(client, attachment.id);
  const path = await findBlob(product, picture);
  parseAnswer(await postJson(floor, '/agent', {}), 201);
  const followed = await followEvents(client, session.id);
  try {
    const place = { client, sessionId: session.id, agentId: agent.id, attachmentId: attachment.id, followed };
    const sides = {
      product: () => takeMean(() => deliver(place)),
      floor: () => takeMean(() => deliverBare(floor, path, picture)),
    };
    await sides.product();
    await sides.floor();
    const before = await findAgentProcesses(pid);
    const samples = await interleave({ warm: 0, counted: SAMPLES_PER_AGENT }, sides);
    await checkStartedOnce(product, session.id, before);
    return samples;
  } finally {
    followed.stop();
    await endSession(client, session.id);
  }
}

async function checkStartedOnce({ client, pid }: Product, sessionId: string, before: Map<string, number>) {
  const after = await findAgentProcesses(pid);
  const isSame = [...before].every(([token, process]) => after.get(token) === process) && before.size === after.size;
  const answer = await client.send({ method: 'GET', path: `/sessions/${sessionId}/events?limit=500` });
  const { items } = parseAnswer<{ items: SessionEvent[] }>(answer, 200);
  const starts = items.filter(({ kind }) => kind === 'agent.started').length;
  if (!isSame || starts !== 1) throw new Error(`An agent was started ${starts} times, or is another process.`);
}

async function measureWritten(bench: EmbeddedBench): Promise<Result> {
  bench.say('  a picture of 1 MB into a running agent');
  const bytes = await drawNoise(SIZE_BYTES);
  const picture: Picture = { bytes, sizeBytes: bytes.byteLength, mimeType: 'image/png', name: 'noise.png' };
  const folder = await mkdtemp(join(tmpdir(), 'attache-bare-agent-'));
  const bare = await startFloorProgram(
    'bare-prompt.ts',
    JSON.stringify({ folder, command: exampleAgentCommand }),
    /^(http:\S+)$/,
  );
  const floor = createHttpClient(bare.said);
  try {
    const samples: Sides<number[]> = { floor: [], product: [] };
    for (let count = 0; count < bench.counted(AGENTS); count += 1) {
      const taken = await measureAgent(bench, floor, picture);
      samples.floor.push(...taken.floor);
      samples.product.push(...taken.product);
    }
    const what = 'claimed to written, a picture of 1 MB, the agent running';
    return compare({ what, unit: 'ms', target: { of: 'ratio', atMost: MAX_RATIO } }, samples);
  } finally {
    floor.close();
    await bare.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The cost of writing files into an agent that runs: time, and memory of the product itself. */
export async function measurePrompts(bench: EmbeddedBench): Promise<Result[]> {
  const written = await measureWritten(bench);
  bench.say('  25 MB into a running agent');
  const { client, pid } = bench.product;
  return [written, await measureLargePrompt({ client, pid, rounds: bench.counted(3), of: 'the product' })];
}
