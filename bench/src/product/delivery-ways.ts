import { hashOf, makeSound } from '../inputs/random-bodies.ts';
import { pause, time } from '../report/sample.ts';
import { followEvents, followSteps } from './follow-events.ts';
import type { HttpClient } from './http-client.ts';
import {
  createSession,
  parseAnswer,
  postJson,
  putFile,
  readUpload,
  sendMessage,
  waitUntilInspected,
} from './product-calls.ts';

// The agent refuses at once: it is the same program on all sides, and what is measured is the way to it.
const TEXT = 'example: refuse';
const AGENTS = 4;
export const IN_FLIGHT = 16;
const REST_MS = 10;

type Clients = readonly HttpClient[];

/** A way to bring one stored file to one agent, up to `written` and up to the end of the turn. */
export type Way = {
  deliver(agent: number, client: number): Promise<{ writtenMs: number; ended: Promise<unknown> }>;
  stop(): void;
};

function pick(clients: Clients, index: number): HttpClient {
  const client = clients[index];
  if (!client) throw new Error(`There is no connection ${index}.`);
  return client;
}

/** The product, with a sound that it stores: of pictures an agent takes only twenty until it is started again. */
export async function openProductWay(clients: Clients, sizeBytes: number): Promise<Way> {
  const client = pick(clients, 0);
  const { session } = await createSession(client, { agents: AGENTS, model: 'example-omni' });
  const { attachment } = readUpload(await putFile(client, session.id, describeSound(makeSound(sizeBytes))));
  await waitUntilInspected(client, attachment.id);
  const followed = await followEvents(client, session.id);
  return {
    async deliver(agent, connection) {
      const to = session.agents[agent]?.id;
      if (to === undefined) throw new Error(`There is no agent ${agent}.`);
      const draft = { to: [to], text: TEXT, attachmentIds: [attachment.id] };
      const sentAt = performance.now();
      const delivery = await sendMessage(pick(clients, connection), session.id, draft);
      const writtenAt = await followed.arrival('delivery.written', delivery.id, 'delivery.failed');
      const ended = followed.arrival('delivery.responded', delivery.id, 'delivery.failed');
      return { writtenMs: writtenAt - sentAt, ended };
    },
    stop: followed.stop,
  };
}

/** A floor, with a sound that `uploads` stores for it. */
export async function openFloorWay(clients: Clients, uploads: Clients, sizeBytes: number): Promise<Way> {
  const bytes = makeSound(sizeBytes);
  const answer = await putFile(pick(uploads, 0), 'none', describeSound(bytes));
  const { id: attachmentId, sha256 } = parseAnswer<{ id: string; sha256: string }>(answer, 201);
  if (sha256 !== hashOf(bytes)) throw new Error('The answer to an upload names another digest.');
  const sessionId = `agent-${attachmentId}`;
  const followed = await followSteps(pick(clients, 0), sessionId);
  return {
    async deliver(agent, connection) {
      const draft = { sessionId, agentId: `${sessionId}-${agent}`, attachmentId };
      const sentAt = performance.now();
      const { id } = parseAnswer<{ id: string }>(await postJson(pick(clients, connection), '/', draft), 202);
      const writtenAt = await followed.arrival('written', id);
      return { writtenMs: writtenAt - sentAt, ended: followed.arrival('responded', id) };
    },
    stop: followed.stop,
  };
}

const describeSound = (bytes: Uint8Array) => ({
  ...{ bytes, sizeBytes: bytes.byteLength, mimeType: 'audio/wav', name: 'sound.wav' },
});

/** The agents start with their first message. */
export async function startAgents(way: Way): Promise<void> {
  for (let agent = 0; agent < AGENTS; agent += 1) await (await way.deliver(agent, 0)).ended;
}

/** One message at a time; answers how long it took until `written`. */
export async function deliverOnce(way: Way): Promise<number> {
  const { writtenMs, ended } = await way.deliver(0, 0);
  await ended;
  await pause(REST_MS);
  return writtenMs;
}

/** Keeps sixteen messages in flight over four agents; answers how many per second were written. */
export async function deliverMany(way: Way, messageCount: number): Promise<number> {
  let sent = 0;
  const ends: Promise<unknown>[] = [];
  const work = async (_: unknown, worker: number) => {
    while (sent < messageCount) {
      sent += 1;
      const { ended } = await way.deliver(worker % AGENTS, worker);
      ends.push(ended);
    }
  };
  const { tookMs } = await time(() => Promise.all(Array.from({ length: IN_FLIGHT }, work)));
  await Promise.all(ends);
  return (ends.length / tookMs) * 1000;
}
