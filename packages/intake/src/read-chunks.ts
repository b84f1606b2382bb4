import type { Readable } from 'node:stream';

const HOLD_BYTES = 256 * 1024;
const HOLD_CHUNKS = 512;

/**
 * The chunks of a Node stream as they come, at most about 256 KiB ahead of the reader. Unlike the stream's own iterator it
 * never destroys the stream: a request whose body is refused half-way can still be answered. Whoever stops early leaves the
 * stream paused, unless another reads it by then. Throws the stream's own error, and an error where it closes before its end (a client that went away).
 */
export async function* readChunks(stream: Readable): AsyncGenerator<Uint8Array> {
  const held = holdChunks(stream);
  try {
    while (true) {
      const chunk = held.take();
      if (chunk !== undefined) yield chunk;
      else if (await held.hasEnded()) return;
    }
  } finally {
    held.release();
  }
}

function holdChunks(stream: Readable) {
  const chunks: Uint8Array[] = [];
  let heldBytes = 0;
  let failure = stream.errored ?? undefined;
  let isOver = stream.readableEnded;
  let wake: () => void = () => {};

  const onData = (chunk: Uint8Array) => {
    chunks.push(chunk);
    heldBytes += chunk.byteLength;
    if (heldBytes >= HOLD_BYTES || chunks.length >= HOLD_CHUNKS) stream.pause();
    wake();
  };
  const onEnd = () => {
    isOver = true;
    wake();
  };
  const onError = (error: Error) => {
    failure ??= error;
    wake();
  };
  const onClose = () => {
    if (!isOver) onError(new Error('The body was cut off before its end.'));
  };
  if (stream.destroyed) onClose();
  stream.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);

  return {
    take(): Uint8Array | undefined {
      const chunk = chunks.shift();
      heldBytes -= chunk?.byteLength ?? 0;
      return chunk;
    },
    /** Waits for the next chunk or the end. */
    async hasEnded(): Promise<boolean> {
      if (failure === undefined && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          stream.resume();
        });
      }
      if (chunks.length > 0) return false;
      if (failure !== undefined) throw failure;
      return isOver;
    },
    release(): void {
      stream.off('data', onData).off('end', onEnd).off('close', onClose);
      if (!isOver && stream.listenerCount('data') === 0) stream.pause();
      // `onError` stays: an error after this must not end the process.
    },
  };
}
