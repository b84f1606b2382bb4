import type { Delivery } from '@attache/contracts';
import { makePng } from '@attache/test-harness';
import { type Followed, followEvents } from './follow-events.ts';
import { createSession, postJson, putFile, readUploadAnswer } from './product-calls.ts';
import { inMs, type Result } from './result.ts';
import { percentile } from './sample.ts';
import type { Program } from './start-programs.ts';

type Times = { readyMs: number; writtenMs: number; respondedMs: number };

type Place = { product: Program; sessionId: string; agentId: string; followed: Followed };

async function deliverOnce({ product, sessionId, agentId, followed }: Place, seed: number): Promise<Times> {
  const bytes = makePng(1200, 800, seed);
  const file = { bytes, sizeBytes: bytes.byteLength, mimeType: 'image/png', name: 'picture.png' };
  const attachment = readUploadAnswer(await putFile(product.client, sessionId, file));
  const acceptedAt = performance.now();
  const readyAt = await followed.arrival('attachment.ready', attachment.id);
  const sentAt = performance.now();
  const message = { to: [agentId], text: 'What do you see?', attachmentIds: [attachment.id] };
  const answer = await postJson(product.client, `/sessions/${sessionId}/messages`, message);
  if (answer.status !== 202) throw new Error(`The message was answered ${answer.status}: ${answer.body}`);
  const [delivery] = (JSON.parse(answer.body) as { deliveries: Delivery[] }).deliveries;
  if (!delivery) throw new Error('The message has no delivery.');
  const failed = followed.arrival('delivery.failed', delivery.id).then(() => {
    throw new Error(`The delivery ${delivery.id} failed.`);
  });
  const writtenAt = await Promise.race([followed.arrival('delivery.written', delivery.id), failed]);
  const respondedAt = await Promise.race([followed.arrival('delivery.responded', delivery.id), failed]);
  return { readyMs: readyAt - acceptedAt, writtenMs: writtenAt - sentAt, respondedMs: respondedAt - sentAt };
}

/** Times of whole deliveries of a picture to the example agent, as a follower of the session's events sees them. */
export async function measureDelivery(product: Program, count: number): Promise<Result[]> {
  const { session, agent } = await createSession(product.client);
  const followed = await followEvents(product.client, session.id);
  const place = { product, sessionId: session.id, agentId: agent.id, followed };
  const first = await deliverOnce(place, 1);
  const times: Times[] = [];
  for (let round = 0; round < count; round += 1) times.push(await deliverOnce(place, round + 2));
  followed.stop();
  const row = (what: string, pick: (one: Times) => number): Result => {
    const samples = times.map(pick);
    const [p50, p95] = [percentile(samples, 0.5), percentile(samples, 0.95)];
    return { what: `${what} (${count} pictures)`, figures: `p50 ${inMs(p50)}, p95 ${inMs(p95)}` };
  };
  return [
    row('upload accepted to ready', ({ readyMs }) => readyMs),
    row('message to written', ({ writtenMs }) => writtenMs),
    row('message to responded, with a file back', ({ respondedMs }) => respondedMs),
    { what: 'message to written, the agent not running yet', figures: inMs(first.writtenMs) },
  ];
}
