import { drawNoise } from '../inputs/draw-pictures.ts';
import { deliverOnce, openProductWay, startAgents } from '../product/delivery-ways.ts';
import { followEvents } from '../product/follow-events.ts';
import type { HttpClient } from '../product/http-client.ts';
import { createSession, putFile, readUpload } from '../product/product-calls.ts';
import { pause, time } from '../report/sample.ts';

const SIZE_BYTES = 100_000;
const REST_MS = 100;

/** The times of the product as one tenant sees them. */
export type Seen = { uploadMs: number[]; readyMs: number[]; writtenMs: number[] };

export type Neighbour = {
  /** Uploads pictures and sends messages with a sound to an agent that runs, one after the other. */
  see(rounds: number): Promise<Seen>;
  stop(): void;
};

export async function openNeighbour(client: HttpClient): Promise<Neighbour> {
  const { session } = await createSession(client);
  const followed = await followEvents(client, session.id);
  const way = await openProductWay([client], SIZE_BYTES);
  await startAgents(way);

  async function seeOnce(bytes: Uint8Array, seen: Seen): Promise<void> {
    const file = { bytes, sizeBytes: bytes.byteLength, mimeType: 'image/png', name: 'noise.png' };
    const { result, tookMs } = await time(() => putFile(client, session.id, file));
    const acceptedAt = performance.now();
    const { attachment } = readUpload(result);
    const readyAt = await followed.arrival('attachment.ready', attachment.id, 'attachment.rejected');
    seen.uploadMs.push(tookMs);
    // The event may come before the answer has been read.
    seen.readyMs.push(Math.max(0, readyAt - acceptedAt));
    seen.writtenMs.push(await deliverOnce(way));
    await pause(REST_MS);
  }

  return {
    async see(rounds) {
      const pictures: Uint8Array[] = [];
      for (let round = 0; round < rounds; round += 1) pictures.push(await drawNoise(SIZE_BYTES));
      const seen: Seen = { uploadMs: [], readyMs: [], writtenMs: [] };
      for (const picture of pictures) await seeOnce(picture, seen);
      return seen;
    },
    stop() {
      followed.stop();
      way.stop();
    },
  };
}
