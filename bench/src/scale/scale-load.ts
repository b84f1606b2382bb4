import type { Delivery } from '@attache/contracts';
import type { HttpClient } from '../product/http-client.ts';
import { createSession, parseAnswer, postJson, putFile, readUpload } from '../product/product-calls.ts';
import { pause } from '../report/sample.ts';

/** How many messages people send in a second, all together. */
export const PER_SECOND = 20;
export const CLIENTS = 16;
const FILE_BYTES = 1_000;
const LOOK_MS = 100;

/** A session whose agent runs, with a small file in it. */
export type Talk = { agentId: string; sessionId: string; attachmentId: string };

/** Work on each of these, so many at a time. */
export async function forAll<T, R>(items: readonly T[], work: (item: T, worker: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const workers = Array.from({ length: CLIENTS }, async (_, worker) => {
    for (const [place, item] of left) results[place] = await work(item, worker);
  });
  await Promise.all(workers);
  return results;
}

const readDelivery = async (client: HttpClient, id: string): Promise<Delivery> =>
  parseAnswer<{ delivery: Delivery }>(await client.send({ method: 'GET', path: `/deliveries/${id}` }), 200).delivery;

/** Polls a delivery until it is responded. Throws if it failed. */
export async function waitUntilAnswered(client: HttpClient, id: string): Promise<Delivery> {
  for (;;) {
    const delivery = await readDelivery(client, id);
    if (delivery.status === 'responded') return delivery;
    if (delivery.status === 'failed') throw new Error(`A delivery failed: ${delivery.failure?.code}.`);
    await pause(LOOK_MS);
  }
}

/** Sends a message with the file. Returns the delivery's id. */
export async function say(client: HttpClient, { sessionId, agentId, attachmentId }: Talk): Promise<string> {
  const body = { to: [agentId], text: 'hello', attachmentIds: [attachmentId] };
  const answer = await postJson(client, `/sessions/${sessionId}/messages`, body);
  return parseAnswer<{ deliveries: { id: string }[] }>(answer, 202).deliveries[0]?.id ?? '';
}

export async function openTalk(client: HttpClient): Promise<Talk> {
  const { session, agent } = await createSession(client, { profile: 'tiny' });
  const file = {
    bytes: Buffer.alloc(FILE_BYTES, 'text '),
    sizeBytes: FILE_BYTES,
    mimeType: 'text/plain',
    name: 'a.txt',
  };
  const { attachment } = readUpload(await putFile(client, session.id, file));
  return { sessionId: session.id, agentId: agent.id, attachmentId: attachment.id };
}

/** Sends at even distances, whatever the responses take, while `isWanted`. Returns the ids of the deliveries and how late each was sent. */
export async function sendEvenly(
  clients: readonly HttpClient[],
  talks: readonly Talk[],
  isWanted: (count: number) => boolean,
): Promise<{ ids: string[]; latenessMs: number[] }> {
  const begunAt = performance.now();
  const latenessMs: number[] = [];
  const sending: Promise<string>[] = [];
  for (let place = 0; isWanted(place); place += 1) {
    const dueAt = begunAt + (place * 1000) / PER_SECOND;
    await pause(Math.max(0, dueAt - performance.now()));
    latenessMs.push(performance.now() - dueAt);
    const [client, talk] = [clients[place % clients.length], talks[place % talks.length]];
    if (client && talk) sending.push(say(client, talk));
  }
  return { ids: await Promise.all(sending), latenessMs };
}

/** When a delivery first reached this status, in milliseconds. */
export const timeOf = ({ timeline }: Delivery, status: string): number =>
  Date.parse(timeline.find((step) => step.status === status)?.at ?? '');
