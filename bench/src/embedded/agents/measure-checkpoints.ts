import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Agent, Session, SessionEvent } from '@attache/contracts';
import { profileOf } from '@attache/test-agents/runtimes';
import { startModelStub } from '@attache/test-agents/stub/model-stub';
import { drawNoise } from '../../inputs/draw-pictures.ts';
import { type Followed, followEvents } from '../../product/follow-events.ts';
import {
  createSession,
  endSession,
  parseAnswer,
  putFile,
  readUploadAnswer,
  sendMessage,
  waitUntilInspected,
} from '../../product/product-calls.ts';
import { compare, type Result } from '../../report/result.ts';
import { pause, summarise } from '../../report/sample.ts';
import type { EmbeddedBench } from '../bench.ts';
import { type Product, startProductWith } from '../start-programs.ts';
import { describeRuntime, type Installed, listInstalled, type Runtime } from './installed-programs.ts';

const PICTURE_BYTES = 400_000;
const WANTED_BYTES = 10_000_000;
const MOST_TURNS = 24;
const ROUNDS = 3;
/** A gateway waits so long after a turn, so that its program has written all of it. */
export const SETTLE_MS = 1_500;
const IDLE_MS = 4_000;
const MEGABYTE = 1_000_000;
const API_KEY = 'sk-test-key-of-the-stub';

type Talk = { product: Product; followed: Followed; session: Session; agent: Agent };
type Kept = { sizeBytes: number; storedBytes: number };

/** All events of a session. */
async function readEvents({ product }: Pick<Talk, 'product'>, sessionId: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  for (let after = 0; ; after = events.at(-1)?.seq ?? after) {
    const answer = await product.client.send({ method: 'GET', path: `/sessions/${sessionId}/events?after=${after}` });
    const page = parseAnswer<{ items: SessionEvent[] }>(answer, 200).items;
    if (page.length === 0) return events;
    events.push(...page);
  }
}

async function say({ product: { client }, session, agent }: Talk, attachmentIds: string[]): Promise<string> {
  const { id } = await sendMessage(client, session.id, { to: [agent.id], text: 'Look.', attachmentIds });
  return id;
}

async function upload({ product: { client }, session }: Talk): Promise<string> {
  const bytes = await drawNoise(PICTURE_BYTES);
  const file = { bytes, sizeBytes: bytes.length, mimeType: 'image/png', name: 'noise.png' };
  const { id } = readUploadAnswer(await putFile(client, session.id, file));
  await waitUntilInspected(client, id);
  return id;
}

/** One turn with a picture, and how long after it its checkpoint was there, in addition to the pause before. */
async function takeTurn(talk: Talk): Promise<{ tookMs: number; kept: Kept }> {
  const id = await say(talk, [await upload(talk)]);
  const respondedAt = await talk.followed.arrival('delivery.responded', id, 'delivery.failed');
  const keptAt = await talk.followed.arrival('agent.checkpointed', id);
  const events = await readEvents(talk, talk.session.id);
  const kept = events.find(({ kind, data }) => kind === 'agent.checkpointed' && data.deliveryId === id);
  return { tookMs: keptAt - respondedAt - SETTLE_MS, kept: kept?.data as Kept };
}

type Grown = { tookMs: number; addedBytes: number; storedBytes: number };

/** Turns until its memory is large; what the last of them cost. */
async function grow(talk: Talk): Promise<Grown[]> {
  const turns: Grown[] = [];
  let sizeBytes = 0;
  while (sizeBytes < WANTED_BYTES && turns.length < MOST_TURNS) {
    const { tookMs, kept } = await takeTurn(talk);
    turns.push({ tookMs, addedBytes: kept.sizeBytes - sizeBytes, storedBytes: kept.storedBytes });
    sizeBytes = kept.sizeBytes;
  }
  return turns.slice(-ROUNDS);
}

/** From the claim until the program has its conversation again; its process had ended. */
async function timeStart(talk: Talk, isRestored: boolean): Promise<number> {
  const { product, session, agent } = talk;
  const count = async (kind: string) =>
    (await readEvents(talk, session.id)).filter((event) => event.kind === kind).length;
  while ((await count('agent.stopped')) < (await count('agent.started'))) await pause(100);
  if (isRestored) await rm(join(product.dataDir, 'agents', agent.id), { recursive: true, force: true });
  const id = await say(talk, []);
  await talk.followed.arrival('delivery.responded', id, 'delivery.failed');
  const events = await readEvents(talk, session.id);
  const claimed = events.find(({ kind, data }) => kind === 'delivery.claimed' && data.deliveryId === id);
  const started = events.findLast(({ kind }) => kind === 'agent.started');
  const way = isRestored ? 'checkpoint' : 'resume';
  if (started?.data.continuedBy !== way)
    throw new Error(`It began by ${started?.data.continuedBy}, and not by ${way}.`);
  return Date.parse(started.at) - Date.parse(claimed?.at ?? '');
}

async function measureRuntime(product: Product, { label, profile, model }: Runtime): Promise<Result[]> {
  const { session, agent } = await createSession(product.client, { profile, model });
  const followed = await followEvents(product.client, session.id);
  const talk = { product, followed, session, agent };
  try {
    const turns = await grow(talk);
    const starts: Record<'resumed' | 'restored', number[]> = { resumed: [], restored: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      // Gemini CLI continues from restored files only.
      if (!profile.startsWith('gemini')) starts.resumed.push(await timeStart(talk, false));
      starts.restored.push(await timeStart(talk, true));
    }
    return describe(label, turns, starts);
  } finally {
    followed.stop();
    await endSession(product.client, session.id);
  }
}

function describe(label: string, turns: readonly Grown[], starts: Record<'resumed' | 'restored', number[]>): Result[] {
  const ofTurn = 'of a turn with a picture of 400 kB, its memory being 10 MB';
  const stored = { what: `stored ${ofTurn}, ${label}`, unit: 'MB' as const, floorIs: 'what it added to its files' };
  const restored = { what: `start by a checkpoint of 10 MB, ${label}`, unit: 'ms' as const };
  return [
    { what: `checkpoint ${ofTurn}, ${label}`, unit: 'ms', product: summarise(turns.map(({ tookMs }) => tookMs)) },
    compare(
      { ...stored, target: { of: 'ratio', atMost: 1.2 } },
      {
        product: turns.map(({ storedBytes }) => storedBytes / MEGABYTE),
        floor: turns.map(({ addedBytes }) => addedBytes / MEGABYTE),
      },
    ),
    starts.resumed.length === 0
      ? { ...restored, product: summarise(starts.restored) }
      : compare(
          { ...restored, floorIs: 'start by its own folder' },
          { product: starts.restored, floor: starts.resumed },
        ),
  ];
}

const profilesOf = (installed: readonly Installed[], stubUrl: string) =>
  installed.flatMap(({ runtime, installed: { program } }) => {
    const profile = profileOf(runtime, program, stubUrl, 'everything');
    return [[runtime.key, { ...profile, limits: { idleStopMs: IDLE_MS } }] as const];
  });

/** The cost of keeping the memory of others' programs, and of bringing it back, with a stub for the model's API. */
export async function measureCheckpoints({ say: tell }: Pick<EmbeddedBench, 'say'>): Promise<Result[]> {
  const installed = await listInstalled(tell);
  await using started = new AsyncDisposableStack();
  const stub = await startModelStub();
  started.defer(() => stub.stop());
  const product = await startProductWith(Object.fromEntries(profilesOf(installed, stub.url)), { STUB_KEY: API_KEY });
  started.defer(() => product.stop());
  const results: Result[] = [];
  for (const runtime of installed.map(describeRuntime)) {
    tell(`  ${runtime.label}`);
    results.push(...(await measureRuntime(product, runtime)));
  }
  return results;
}
