import type { Attachment, Session } from '@attache/contracts';
import { drawPhoto, stampPhoto } from '../../inputs/draw-pictures.ts';
import { type Followed, followEvents } from '../../product/follow-events.ts';
import type { HttpClient } from '../../product/http-client.ts';
import { createSession, putFile, readUpload, sendMessage, waitUntilInspected } from '../../product/product-calls.ts';

// Wider than the example agent takes, so that every message needs a variant. The agent refuses at once: the work is the projector's.
const [WIDTH, HEIGHT] = [8_400, 1_500];
const TEXT = 'example: refuse';
/** An agent takes at most 20 pictures of one conversation. */
const PICTURES_PER_AGENT = 15;

export type Panorama = { bytes: Uint8Array; attachment: Attachment };

/** Messages that wait for their variants. */
export type Backlog = {
  /** How many of them wait still. */
  countLeft(): number;
  /** Resolves when all have been answered. */
  waitUntilDrained(): Promise<unknown>;
};

/** Pictures that differ from each other, uploaded and inspected. */
export async function storePanoramas(client: HttpClient, sessionId: string, count: number): Promise<Panorama[]> {
  const photo = await drawPhoto(WIDTH, HEIGHT);
  const panoramas: Panorama[] = [];
  for (let index = 0; index < count; index += 1) {
    panoramas.push(await storePanorama(client, sessionId, stampPhoto(photo)));
  }
  return panoramas;
}

export async function storePanorama(client: HttpClient, sessionId: string, bytes: Uint8Array): Promise<Panorama> {
  const file = { bytes, sizeBytes: bytes.byteLength, mimeType: 'image/jpeg', name: 'panorama.jpg' };
  const { attachment } = readUpload(await putFile(client, sessionId, file));
  await waitUntilInspected(client, attachment.id);
  return { bytes, attachment };
}

/** A session with as many agents as so many pictures need, all of them running. */
export async function openPlace(client: HttpClient, pictureCount: number) {
  const { session } = await createSession(client, { agents: Math.ceil(pictureCount / PICTURES_PER_AGENT) });
  const followed = await followEvents(client, session.id);
  for (const { id } of session.agents) {
    const delivery = await sendMessage(client, session.id, { to: [id], text: TEXT, attachmentIds: [] });
    await followed.arrival('delivery.responded', delivery.id, 'delivery.failed');
  }
  return { session, followed };
}

export type Place = { session: Session; followed: Followed };

/** Sends a message with each picture; does not wait for what becomes of them. */
export async function sendPanoramas(
  client: HttpClient,
  { session, followed }: Place,
  panoramas: readonly Panorama[],
): Promise<Backlog> {
  let left = panoramas.length;
  const ends: Promise<unknown>[] = [];
  for (const [index, { attachment }] of panoramas.entries()) {
    const to = session.agents[Math.floor(index / PICTURES_PER_AGENT)]?.id ?? '';
    const { id, plan } = await sendMessage(client, session.id, {
      to: [to],
      text: TEXT,
      attachmentIds: [attachment.id],
    });
    if (plan.items[0]?.becomes !== 'variant') throw new Error('A panorama was to become a variant.');
    const prepared = followed.arrival('delivery.prepared', id, 'delivery.failed').then(() => {
      left -= 1;
    });
    const ended = prepared.then(() => followed.arrival('delivery.responded', id, 'delivery.failed'));
    // A caller that gives up meanwhile waits for none of them.
    ended.catch(() => {});
    ends.push(ended);
  }
  return { countLeft: () => left, waitUntilDrained: () => Promise.all(ends) };
}
