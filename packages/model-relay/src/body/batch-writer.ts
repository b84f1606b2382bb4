import type { ClientRequest } from 'node:http';
import { freeChunk } from './free-chunk.ts';

/** What goes out at once at most: each write wakes the provider's side, which costs as much as to copy this much. */
const BATCH_BYTES = 256 * 1024;

export type BatchWriter = {
  /** Nothing may read the chunk any more. */
  write(chunk: Buffer): void;
  end(chunk: Buffer | undefined): void;
};

/**
 * Writes what comes in one turn of the event loop at once. `open` begins the request when its first bytes go. `onFull` is called when no more
 * should be written until `drain`.
 */
export function createBatchWriter(open: () => ClientRequest, onFull: () => void): BatchWriter {
  let request: ClientRequest | undefined;
  let batchBytes = 0;

  function flush(): void {
    if (batchBytes === 0 || request === undefined) return;
    batchBytes = 0;
    request.uncork();
    if (request.writableNeedDrain) onFull();
  }

  return {
    write(chunk) {
      request ??= open();
      if (batchBytes === 0) {
        request.cork();
        setImmediate(flush);
      }
      batchBytes += chunk.length;
      request.write(chunk, (error) => {
        if (error == null) freeChunk(chunk);
      });
      if (batchBytes >= BATCH_BYTES) flush();
    },
    end(chunk) {
      flush();
      request ??= open();
      request.end(chunk);
    },
  };
}
