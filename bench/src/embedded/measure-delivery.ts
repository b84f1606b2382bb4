import { makePng } from '@attache/test-harness';
import { type Followed, followEvents } from '../follow-events.ts';
import { createSession, putFile, readUpload, sendMessage } from '../product-calls.ts';
import type { Result } from '../result.ts';
import { summarise } from '../sample.ts';
import type { EmbeddedBench } from './bench.ts';
import type { Program } from './start-programs.ts';

/** What an agent takes of one conversation. */
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

/** Times of whole deliveries of a picture to the example agent, as a follower of the session's events sees them. */
export async function measureDelivery({ product, counted, say }: EmbeddedBench): Promise<Result[]> {
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
