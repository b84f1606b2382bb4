import type { BlobKey } from '../../blob-key.ts';
import type { S3 } from '../client.ts';
import { createPartedPut } from './parted-put.ts';
import type { SpoolBudget } from './spool-budget.ts';
import { describePut, type Interruption, openUpload } from './upload.ts';

/** The part of a body of unknown length that is held before it is sent. S3 wants 5 MiB of all parts but the last. */
export const SPOOL_BYTES = 8 * 1024 * 1024;

type Spooled = { chunks: Uint8Array[]; sizeBytes: number; isLast: boolean; release(): void };
type SpoolInput = { body: AsyncIterable<Uint8Array>; budget: SpoolBudget; interruption: Interruption };
type SpooledPut = SpoolInput & { s3: S3; key: BlobKey };

/** Stores a body of unknown length: as one PUT where it ends within 8 MiB, else in parts of 8 MiB. */
export async function putSpooled({ s3, key, body, budget, interruption }: SpooledPut): Promise<{ sizeBytes: number }> {
  const put = createPartedPut({ s3, key, interruption });
  let sizeBytes = 0;
  try {
    for await (const spooled of spoolBody({ body, budget, interruption })) {
      const isWhole = spooled.isLast && sizeBytes === 0;
      sizeBytes += spooled.sizeBytes;
      if (isWhole) {
        const upload = openUpload(s3, { request: describePut(key, sizeBytes), interruption });
        await upload.finish(spooled.chunks).finally(spooled.release);
        return { sizeBytes };
      }
      await put.openPart(spooled.sizeBytes).then(
        (part) => void put.finishPart(part, spooled.chunks).then(spooled.release, spooled.release),
        (error: unknown) => {
          spooled.release();
          throw error;
        },
      );
    }
    await put.complete(sizeBytes);
    return { sizeBytes };
  } catch (error) {
    await put.abandon(error);
    throw error;
  }
}

/** The body in pieces of 8 MiB; the last is shorter, or as long. Whoever gets a piece releases it. */
async function* spoolBody({ body, budget, interruption }: SpoolInput): AsyncGenerator<Spooled> {
  let share = budget.openShare();
  let chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  const take = (isLast: boolean): Spooled => {
    const { release } = share;
    const taken = { chunks, sizeBytes, isLast, release };
    share = budget.openShare();
    chunks = [];
    sizeBytes = 0;
    return taken;
  };
  const add = async (chunk: Uint8Array) => {
    await share.hold(sizeBytes + chunk.byteLength, interruption.signal);
    chunks.push(chunk);
    sizeBytes += chunk.byteLength;
  };
  try {
    for await (const chunk of body) {
      let rest = chunk;
      while (sizeBytes + rest.byteLength > SPOOL_BYTES) {
        const room = SPOOL_BYTES - sizeBytes;
        await add(rest.subarray(0, room));
        rest = rest.subarray(room);
        yield take(false);
      }
      if (rest.byteLength > 0) await add(rest);
    }
    yield take(true);
  } finally {
    share.release();
  }
}
