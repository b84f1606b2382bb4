/** The same chunks, but an abort ends the waiting for the next one and throws the signal's reason. The source's `return` is called. */
export async function* untilAborted(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  let rejectNext: (reason: unknown) => void = () => {};
  const onAbort = () => rejectNext(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    while (true) {
      signal.throwIfAborted();
      // One promise per chunk: racing a promise that outlives them would keep a reaction for every chunk.
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        rejectNext = reject;
        iterator.next().then(resolve, reject);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a source that is waiting for its next chunk returns only after it.
    iterator.return?.().catch(() => {});
  }
}
