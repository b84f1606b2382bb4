/** A reader that takes nothing for this long is closed; it resumes by id. */
const STALLED_READER_MS = 30_000;

/** `reader` is aborted at the end, for what the chunks wait for. */
type StreamEnd = { reader: AbortController; onEnd(): void };

/** The chunks as a body. However it ends, the generator is ended too, also in the middle of a replay. */
export function streamEvents(chunks: AsyncGenerator<string>, { reader, onEnd }: StreamEnd): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stalled: NodeJS.Timeout | undefined;
  const close = () => {
    clearTimeout(stalled);
    reader.abort();
    // A generator that waits for its next chunk to be asked for does not see the signal.
    void chunks.return(undefined);
    onEnd();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled);
        const { value, done } = await chunks.next().catch((error) => {
          close();
          throw error;
        });
        // It may have been cancelled meanwhile.
        if (reader.signal.aborted) return;
        if (done) {
          close();
          return controller.close();
        }
        controller.enqueue(encoder.encode(value));
        stalled = setTimeout(() => {
          close();
          controller.error(new Error('the reader does not keep up'));
        }, STALLED_READER_MS);
      },
      cancel: close,
    },
    { highWaterMark: 1 },
  );
}
