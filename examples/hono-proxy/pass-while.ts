/** How often an open event stream is checked. */
export const CHECK_INTERVAL_MS = 15_000;

/**
 * Passes a stream on until it ends, its reader gives up, or `isAllowed` is false or throws, which is asked every 15 s. The stream then ends as if the service
 * had ended it, and is given up at the service.
 */
export function passWhile(
  body: ReadableStream<Uint8Array>,
  isAllowed: () => Promise<boolean>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const check = async () => {
    if (await isAllowed().catch(() => false)) return;
    clearInterval(timer);
    // A stream that is broken already has nothing to give up.
    await reader.cancel().catch(() => undefined);
  };
  const timer = setInterval(() => void check(), CHECK_INTERVAL_MS);
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        clearInterval(timer);
        controller.close();
      } catch (error) {
        clearInterval(timer);
        throw error;
      }
    },
    cancel(reason) {
      clearInterval(timer);
      return reader.cancel(reason);
    },
  });
}
