import type { Readable } from 'node:stream';

const HELD_CHUNKS = 4;

/**
 * A Node stream as the body of an answer. Its chunks are handed on as they are, whereas `Readable.toWeb` copies each of them.
 * A reader that goes away destroys the stream.
 */
export function toWebStream(source: Readable): ReadableStream<Uint8Array> {
  let isOver = false;
  const once = (settle: () => void) => () => {
    if (isOver) return;
    isOver = true;
    settle();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        source.on('data', (chunk: Uint8Array) => {
          if (isOver) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) source.pause();
        });
        source.once(
          'end',
          once(() => controller.close()),
        );
        source.on('error', (error) => once(() => controller.error(error))());
        source.once(
          'close',
          once(() => controller.error(new Error('The stream closed before its end.'))),
        );
        source.pause();
      },
      pull: () => void source.resume(),
      cancel: once(() => source.destroy()),
    },
    { highWaterMark: HELD_CHUNKS },
  );
}
