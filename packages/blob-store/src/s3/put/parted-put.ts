import { setTimeout } from 'node:timers/promises';
import type { BlobKey } from '../../blob-key.ts';
import type { S3 } from '../client.ts';
import { createMultipart, etagOf, MOST_PARTS, type Multipart } from './multipart.ts';
import { type Interruption, openUpload, type Upload } from './upload.ts';

const PARTS_AT_A_TIME = 3;
const GRACE_MS = 2_000;
const KNOWN_PART_BYTES = 64 * 1024 * 1024;

export type PartedPut = ReturnType<typeof createPartedPut>;
type PartedInput = { s3: S3; key: BlobKey; interruption: Interruption };

/** A blob in parts; at most three have no response yet. No request is started before the first part is. */
export function createPartedPut({ s3, key, interruption }: PartedInput) {
  let multipart: Multipart | undefined;
  const etags: Promise<string>[] = [];

  return {
    async openPart(sizeBytes: number): Promise<Upload> {
      multipart ??= await createMultipart(s3, key);
      await etags[etags.length - PARTS_AT_A_TIME];
      return openUpload(s3, { request: multipart.describePart(etags.length + 1, sizeBytes), interruption });
    },
    /** Sends the last bytes of a part; its answer is awaited later. */
    finishPart(part: Upload, chunks: readonly Uint8Array[]): Promise<unknown> {
      const etag = part.finish(chunks).then(etagOf);
      etag.catch((error: unknown) => interruption.abort(error));
      etags.push(etag);
      return etag;
    },
    async complete(sizeBytes: number): Promise<void> {
      await multipart?.complete(await Promise.all(etags), sizeBytes);
    },
    /** Ends all work in progress; the server keeps no part. */
    async abandon(error: unknown): Promise<void> {
      interruption.abort(error);
      // A part that the server still works on could outlive the upload.
      await Promise.race([Promise.allSettled(etags), setTimeout(GRACE_MS, undefined, { ref: false })]);
      await multipart?.abort();
    },
  };
}

/**
 * Sends a body of known length part by part as it comes, so that none of it is held: while the server confirms one part, the
 * next is on its way.
 */
export function openPartStream(put: PartedPut, sizeBytes: number) {
  const partBytes = Math.max(KNOWN_PART_BYTES, Math.ceil(sizeBytes / MOST_PARTS));
  let part: Upload | undefined;
  let partLeft = 0;
  let left = sizeBytes;

  async function send(chunks: readonly Uint8Array[]): Promise<void> {
    let rest = chunks;
    while (rest.length > 0) {
      if (part === undefined) {
        partLeft = Math.min(partBytes, left);
        part = await put.openPart(partLeft);
      }
      const [head, tail] = splitChunks(rest, partLeft);
      const headBytes = countBytes(head);
      partLeft -= headBytes;
      left -= headBytes;
      rest = tail;
      if (partLeft > 0) {
        await part.send(head);
      } else {
        put.finishPart(part, head);
        part = undefined;
      }
    }
  }

  return {
    send,
    async finish(chunks: readonly Uint8Array[]): Promise<void> {
      await send(chunks);
      await put.complete(sizeBytes);
    },
  };
}

const countBytes = (chunks: readonly Uint8Array[]): number => chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);

/** The first `count` bytes, and the rest. */
function splitChunks(chunks: readonly Uint8Array[], count: number): [Uint8Array[], Uint8Array[]] {
  const head: Uint8Array[] = [];
  const tail: Uint8Array[] = [];
  let left = count;
  for (const chunk of chunks) {
    if (left > 0) head.push(chunk.subarray(0, left));
    if (chunk.byteLength > left) tail.push(chunk.subarray(left));
    left = Math.max(0, left - chunk.byteLength);
  }
  return [head, tail];
}
