import { makePng } from '@attache/test-harness';
import { deliverOnce as deliverSound, openFloorWay, openProductWay, startAgents } from '../product/delivery-ways.ts';
import { type Followed, followEvents } from '../product/follow-events.ts';
import { createSession, putFile, readUpload, sendMessage } from '../product/product-calls.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, summarise } from '../report/sample.ts';
import type { EmbeddedBench } from './bench.ts';
import type { Program } from './start-programs.ts';

/** The most pictures that an agent takes in one conversation. */
const MAX_PICTURES = 20;

type Times = { readyMs: number; writtenMs: number; respondedMs: number };

type Place = { product: Program; sessionId: string; agentId: string; followed: Followed };

async function deliverOnce({ product, sessionId, agentId, followed }: Place, seed: number): Promise<Times> {
  const bytes = makePng(1200, 800, seed);
  const file = { bytes, sizeBytes: bytes.byteLength, mimeType: 'image/png', name: 'picture.png' };
  const { attachment } = readUpload(await putFile(product.client, sessionId, file));
  const acceptedAt = performance.now();
  const readyAt = await followed.arrival('attachment.ready', attachment.id, 'attachment.rejected');
  const sentAt = performance.now();
  const draft = { to: [agentId], text: 'What do you see?', attachmentIds: [attachment.id] };
  const { id } = await sendMessage(product.client, sessionId, draft);
  const writtenAt = await followed.arrival('delivery.written', id, 'delivery.failed');
  const respondedAt = await followed.arrival('delivery.responded', id, 'delivery.failed');
  return { readyMs: readyAt - acceptedAt, writtenMs: writtenAt - sentAt, respondedMs: respondedAt - sentAt };
}

/** Deliveries to an agent of its own: the first, which starts it, and those after it. */
async function deliverMany(product: Program, count: number, seed: number): Promise<{ first: Times; rest: Times[] }> {
  const { session, agent } = await createSession(product.client);
  const followed = await followEvents(product.client, session.id);
  try {
    const place = { product, sessionId: session.id, agentId: agent.id, followed };
    const first = await deliverOnce(place, seed);
    const rest: Times[] = [];
    for (let round = 1; round <= count; round += 1) rest.push(await deliverOnce(place, seed + round));
    return { first, rest };
  } finally {
    followed.stop();
  }
}

/** A sound to an agent that runs, against the least that would be durable. */
async function measureSound(
  { product, least, counted }: EmbeddedBench,
  label: string,
  sizeBytes: number,
): Promise<Result> {
  const ways = {
    product: await openProductWay([product.client], sizeBytes),
    least: await openFloorWay(least.deliveries, least.uploads, sizeBytes),
  };
  try {
    for (const way of Object.values(ways)) await startAgents(way);
    const samples = await interleave(
      { warm: 4, counted: counted(40) },
      { product: () => deliverSound(ways.product), least: () => deliverSound(ways.least) },
    );
    return compare({ what: `message to written, a sound of ${label}`, unit: 'ms' }, samples);
  } finally {
    for (const way of Object.values(ways)) way.stop();
  }
}

/** Times of whole deliveries of a picture to the example agent, as a follower of the session's events sees them. */
async function measurePictures({ product, counted, say }: EmbeddedBench): Promise<Result[]> {
  say('  deliveries');
  const firsts: Times[] = [];
  const times: Times[] = [];
  for (let left = counted(40); left > 0; left -= MAX_PICTURES - 1) {
    const seed = 1 + firsts.length * MAX_PICTURES;
    const { first, rest } = await deliverMany(product, Math.min(left, MAX_PICTURES - 1), seed);
    firsts.push(first);
    times.push(...rest);
  }
  const row = (what: string, of: readonly Times[], pick: (one: Times) => number): Result => ({
    what,
    unit: 'ms',
    product: summarise(of.map(pick)),
  });
  return [
    row('upload accepted to ready, a picture', times, ({ readyMs }) => readyMs),
    row('message to written, a picture', times, ({ writtenMs }) => writtenMs),
    row('message to responded, with a file back', times, ({ respondedMs }) => respondedMs),
    row('message to written, the agent not running yet', firsts, ({ writtenMs }) => writtenMs),
  ];
}

/** Whole deliveries of a picture, and a sound to an agent that runs. */
export async function measureDelivery(bench: EmbeddedBench): Promise<Result[]> {
  const pictures = await measurePictures(bench);
  return [...pictures, await measureSound(bench, '100 kB', 100_000), await measureSound(bench, '1 MB', 1_000_000)];
}
