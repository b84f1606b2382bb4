import type { ClientRequest } from 'node:http';
import { freeChunk } from './free-chunk.ts';

/** Limit for one write: each write wakes the provider's side, which costs as much as copying this much. */
const BATCH_BYTES = 256 * 1024;
/** Limit for bytes that wait for the provider to take them. */
const MAX_WAITING_BYTES = 64 * 1024;

export type BatchWriter = {
  /** Takes over the chunk: nothing may read it any more. */
  write(chunk: Buffer): void;
  end(chunk: Buffer | undefined): void;
};

export type BatchWriting = {
  /** Begins the request when its first bytes go. */
  open(): ClientRequest;
  /** Nothing more should be written until `onRoom`. */
  onFull(): void;
  onRoom(): void;
};

/**
 * Writes what comes in one turn of the event loop at once. What waits is counted by what each write says when it is done: a chunked request
 * that was corked may ask to wait for a `drain` that never comes, or forget to ask.
 */
export function createBatchWriter({ open, onFull, onRoom }: BatchWriting): BatchWriter {
  let request: ClientRequest | undefined;
  let batchBytes = 0;
  let waitingBytes = 0;
  let isFull = false;

  function flush(): void {
    if (batchBytes === 0 || request === undefined) return;
    batchBytes = 0;
    request.uncork();
    // Bytes that the system took at once are written, only not settled yet.
    if (isFull || waitingBytes < MAX_WAITING_BYTES || request.writableLength === 0) return;
    isFull = true;
    onFull();
  }

  function settle(chunk: Buffer, length: number, error: Error | null | undefined): void {
    if (error == null) freeChunk(chunk);
    waitingBytes -= length;
    if (!isFull || waitingBytes >= MAX_WAITING_BYTES) return;
    isFull = false;
    onRoom();
  }

  return {
    write(chunk) {
      request ??= open();
      if (batchBytes === 0) {
        request.cork();
        setImmediate(flush);
      }
      const { length } = chunk;
      batchBytes += length;
      waitingBytes += length;
      request.write(chunk, (error) => settle(chunk, length, error));
      if (batchBytes >= BATCH_BYTES) flush();
    },
    end(chunk) {
      flush();
      request ??= open();
      request.end(chunk);
    },
  };
}
