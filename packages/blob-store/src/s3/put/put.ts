import { type BlobKey, parseBlobKey } from '../../blob-key.ts';
import type { PutOptions } from '../../blob-store.ts';
import { limitBody } from '../../limit-body.ts';
import { inS3Span } from '../call.ts';
import type { S3 } from '../client.ts';
import { createPartedPut, openPartStream } from './parted-put.ts';
import type { SpoolBudget } from './spool-budget.ts';
import { putSpooled } from './spooled-put.ts';
import { describePut, type Interruption, openUpload } from './upload.ts';

const SINGLE_BYTES = 64 * 1024 * 1024;
const BATCH_BYTES = 64 * 1024;

type PutInput = { s3: S3; budget: SpoolBudget; key: BlobKey; body: AsyncIterable<Uint8Array>; options: PutOptions };

/**
 * Stores a body: as one PUT up to 64 MiB, in parts above that and where an unknown length is more than is held in memory.
 * An abort that comes after the last byte is too late. Where the answer to the last byte is lost, the blob may be there.
 */
export async function putBlob({ s3, budget, key, body, options }: PutInput): Promise<{ sizeBytes: number }> {
  parseBlobKey(key);
  const { sizeBytes, signal } = options;
  const interruption = new AbortController();
  const onAbort = () => interruption.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort);
  const { onBytes } = s3.options;
  const put = { s3, key, body: limitBody(body, { sizeBytes, signal: interruption.signal, onBytes }), interruption };
  try {
    return await inS3Span(s3, { operation: 'PutObject', key, sizeBytes }, () => {
      if (sizeBytes === undefined) return putSpooled({ ...put, budget });
      return sizeBytes <= SINGLE_BYTES ? putWhole({ ...put, sizeBytes }) : putParted({ ...put, sizeBytes });
    });
  } catch (error) {
    // The first failure is the cause; later ones only followed from it.
    interruption.abort(error);
    throw interruption.signal.reason;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

type KnownPut = {
  s3: S3;
  key: BlobKey;
  body: AsyncIterable<Uint8Array>;
  interruption: Interruption;
  sizeBytes: number;
};

async function putWhole({ s3, key, body, interruption, sizeBytes }: KnownPut): Promise<{ sizeBytes: number }> {
  const upload = openUpload(s3, { request: describePut(key, sizeBytes), interruption });
  await sendBody(body, upload, sizeBytes);
  return { sizeBytes };
}

async function putParted({ s3, key, body, interruption, sizeBytes }: KnownPut): Promise<{ sizeBytes: number }> {
  const put = createPartedPut({ s3, key, interruption });
  try {
    await sendBody(body, openPartStream(put, sizeBytes), sizeBytes);
    return { sizeBytes };
  } catch (error) {
    await put.abandon(error);
    throw error;
  }
}

type Sink = {
  send(chunks: readonly Uint8Array[]): Promise<void>;
  finish(chunks: readonly Uint8Array[]): Promise<unknown>;
};

async function sendBody(body: AsyncIterable<Uint8Array>, sink: Sink, sizeBytes: number): Promise<void> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let seenBytes = 0;
  for await (const chunk of body) {
    held.push(chunk);
    heldBytes += chunk.byteLength;
    seenBytes += chunk.byteLength;
    // The last announced byte waits for the end of the body: with it the server would store what may yet be refused.
    if (heldBytes < BATCH_BYTES || seenBytes === sizeBytes) continue;
    const batch = held;
    held = [];
    heldBytes = 0;
    await sink.send(batch);
  }
  await sink.finish(held);
}
