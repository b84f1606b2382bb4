import { toStorageFault } from '../storage-fault.ts';
import type { NewFile } from './new-file.ts';

const WRITE_AT_BYTES = 256 * 1024;
const WRITE_AT_CHUNKS = 512;
const HOLD_BYTES = 1024 * 1024;
const HOLD_CHUNKS = 1024;

type Writable = Pick<NewFile, 'write' | 'writeAtOnce'>;
type Batch = { chunks: Uint8Array[]; sizeBytes: number };

/**
 * Writes a body into a new file, with one gathered write in progress while the next chunks are read. Holds about 1 MiB and then stops reading. A body that is
 * smaller than one such write is written at once. No write is in progress any more when it settles. Resolves with the bytes written; throws the body's own
 * error or `STORAGE_UNAVAILABLE`.
 */
export async function writeChunks(file: Writable, body: AsyncIterable<Uint8Array>): Promise<number> {
  let held: Batch = { chunks: [], sizeBytes: 0 };
  let writing: Batch | undefined;
  let written: Promise<void> | undefined;
  let failure: unknown;
  let sizeBytes = 0;

  function startWriting(): void {
    const batch = held;
    writing = batch;
    held = { chunks: [], sizeBytes: 0 };
    written = writeBatch(file, batch)
      .catch((error: unknown) => {
        failure = toStorageFault(error);
      })
      .finally(() => {
        writing = undefined;
      });
  }

  try {
    for await (const chunk of body) {
      held.chunks.push(chunk);
      held.sizeBytes += chunk.byteLength;
      sizeBytes += chunk.byteLength;
      if (writing !== undefined && isFull(held, writing)) await written;
      if (failure !== undefined) throw failure;
      if (writing === undefined && isWorthWriting(held)) startWriting();
    }
  } finally {
    await written;
  }
  if (failure !== undefined) throw failure;
  if (held.sizeBytes === sizeBytes) writeBatchAtOnce(file, held);
  else if (held.sizeBytes > 0) startWriting();
  await written;
  if (failure !== undefined) throw failure;
  return sizeBytes;
}

function isWorthWriting(held: Batch): boolean {
  return held.sizeBytes >= WRITE_AT_BYTES || held.chunks.length >= WRITE_AT_CHUNKS;
}

function isFull(held: Batch, writing: Batch): boolean {
  return held.sizeBytes + writing.sizeBytes >= HOLD_BYTES || held.chunks.length >= HOLD_CHUNKS;
}

async function writeBatch(file: Writable, batch: Batch): Promise<void> {
  let chunks = dropBytes(batch.chunks, 0);
  while (chunks.length > 0) chunks = dropWritten(chunks, await file.write(chunks));
}

function writeBatchAtOnce(file: Writable, batch: Batch): void {
  let chunks = dropBytes(batch.chunks, 0);
  try {
    while (chunks.length > 0) chunks = dropWritten(chunks, file.writeAtOnce(chunks));
  } catch (error) {
    throw toStorageFault(error);
  }
}

/** The bytes still to be written: a full disk takes a part of a write before it refuses. */
function dropWritten(chunks: Uint8Array[], bytesWritten: number): Uint8Array[] {
  if (bytesWritten === 0) throw Object.assign(new Error('A write took no byte.'), { code: 'EIO' });
  return dropBytes(chunks, bytesWritten);
}

/** The chunks without their first `count` bytes, and without empty ones. */
function dropBytes(chunks: Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  return chunks.flatMap((chunk) => {
    const dropped = Math.min(left, chunk.byteLength);
    left -= dropped;
    return dropped === chunk.byteLength ? [] : [chunk.subarray(dropped)];
  });
}
