import type { Delivery } from '@attache/contracts';
import { makeSound } from '../../inputs/random-bodies.ts';
import { type Followed, followEvents } from '../../product/follow-events.ts';
import type { HttpClient } from '../../product/http-client.ts';
import {
  createSession,
  type FileBody,
  putFile,
  readDelivery,
  readUpload,
  sendMessage,
} from '../../product/product-calls.ts';

export const AGENTS = 4;
export const IN_FLIGHT = 16;
/** Deliveries before those whose processor time is taken: by then the services are compiled, and tables that were empty have been counted. */
export const WARMING = 960;
// The agent refuses at once: its own work is no step of ours.
const TEXT = 'example: refuse';

export type Load = { name: string; sizeBytes: number; drawFile(): Promise<FileBody & { bytes: Uint8Array }> };

/** A text is ready with its 201, a sound is inspected. Each file is another one: of one that is known the store keeps nothing twice. */
export function listLoads(sizeBytes: number): Load[] {
  const bytesOfText = () => {
    const words = `${crypto.randomUUID()} says nothing new\n`;
    return Buffer.from(words.repeat(Math.ceil(sizeBytes / words.length))).subarray(0, sizeBytes);
  };
  return [
    {
      ...{ name: 'text', sizeBytes },
      drawFile: async () => ({ bytes: bytesOfText(), sizeBytes, mimeType: 'text/plain', name: 'words.txt' }),
    },
    {
      ...{ name: 'sound', sizeBytes },
      drawFile: async () => ({ bytes: makeSound(sizeBytes), sizeBytes, mimeType: 'audio/wav', name: 'sound.wav' }),
    },
  ];
}

/** When a client saw each step of one file's way, on the clock of `performance.now()`. */
export type Seen = {
  deliveryId: string;
  sha256: string;
  sentAt: number;
  storedAt: number;
  readyAt: number;
  acceptedAt: number;
};

export type Place = {
  /** Uploads a file, sends it to an agent, and waits until the follower has seen the answer. */
  deliver(file: FileBody, worker: number): Promise<Seen>;
  readDelivery(id: string): Promise<Delivery>;
  /** The agents run, and have taken a delivery. */
  warm(load: Load): Promise<void>;
  stop(): void;
};

/** A session with four agents and one follower. */
export async function openPlace(clients: readonly HttpClient[]): Promise<Place> {
  const clientOf = (worker: number) => {
    const client = clients[worker % clients.length];
    if (!client) throw new Error('There is no connection.');
    return client;
  };
  const { session } = await createSession(clientOf(0), { agents: AGENTS, model: 'example-omni' });
  const followed: Followed = await followEvents(clientOf(0), session.id);
  const deliver: Place['deliver'] = async (file, worker) => {
    const client = clientOf(worker);
    const to = session.agents[worker % AGENTS]?.id ?? '';
    const sentAt = performance.now();
    const { attachment } = readUpload(await putFile(client, session.id, file));
    const storedAt = performance.now();
    const readyAt = await followed.arrival('attachment.ready', attachment.id, 'attachment.rejected');
    const draft = { to: [to], text: TEXT, attachmentIds: [attachment.id] };
    const { id } = await sendMessage(client, session.id, draft);
    const acceptedAt = performance.now();
    await followed.arrival('delivery.responded', id, 'delivery.failed');
    return {
      deliveryId: id,
      sha256: attachment.sha256,
      sentAt,
      storedAt,
      readyAt: Math.max(readyAt, storedAt),
      acceptedAt,
    };
  };
  return {
    deliver,
    readDelivery: (id) => readDelivery(clientOf(0), id),
    async warm(load) {
      for (let agent = 0; agent < AGENTS; agent += 1) await deliver(await load.drawFile(), agent);
    },
    stop: followed.stop,
  };
}
