import { Fault } from '@attache/contracts';

/** Calls `tick` every `periodMs` until the returned function is called. */
export type Ticker = (tick: () => void, periodMs: number) => () => void;

export type SlowStreamLimits = {
  /** Length of the sliding window, in which a body must keep the lowest rate. */
  windowMs?: number | undefined;
  minBytesPerSecond?: number | undefined;
  /** The source of time. */
  startTicker?: Ticker | undefined;
};

const SLICES = 30;

const startInterval: Ticker = (tick, periodMs) => {
  const timer = setInterval(tick, periodMs);
  return () => clearInterval(timer);
};

/**
 * Passes a body on and throws Fault `UPLOAD_TIMEOUT` when its sender sends nothing for 30 s, or less than 1 KiB/s over 30 s.
 * Only time spent waiting for the sender counts, so a slow disk is not held against it. Keeps time in slices of 1 s.
 */
export async function* guardSlowStream(
  source: AsyncIterable<Uint8Array>,
  { windowMs = 30_000, minBytesPerSecond = 1024, startTicker = startInterval }: SlowStreamLimits = {},
): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  const window = createWindow();
  let rejectWaiting: ((fault: Fault) => void) | undefined;
  let stopTicker: (() => void) | undefined;
  const onTick = () => {
    // A reader that does not come back must not leave a timer behind.
    if (rejectWaiting === undefined) return pauseTicker();
    const windowBytes = window.closeSlice();
    if (windowBytes === undefined || windowBytes >= (minBytesPerSecond * windowMs) / 1000) return;
    rejectWaiting(tooSlow(windowBytes, { windowMs, minBytesPerSecond }));
  };
  const pauseTicker = () => {
    stopTicker?.();
    stopTicker = undefined;
  };
  try {
    while (true) {
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        rejectWaiting = reject;
        stopTicker ??= startTicker(onTick, windowMs / SLICES);
        iterator.next().then(resolve, reject);
      });
      rejectWaiting = undefined;
      if (next.done === true) return;
      window.count(next.value.byteLength);
      yield next.value;
    }
  } finally {
    pauseTicker();
    // Not awaited: a source that is waiting for its next chunk returns only after it.
    iterator.return?.().catch(() => {});
  }
}

/** Bytes of the last 30 slices of waiting time. */
function createWindow() {
  const slices: number[] = [];
  let sliceBytes = 0;
  let windowBytes = 0;
  return {
    count(bytes: number): void {
      sliceBytes += bytes;
    },
    /** Ends a slice. The bytes of the window, once the window is full. */
    closeSlice(): number | undefined {
      slices.push(sliceBytes);
      windowBytes += sliceBytes;
      sliceBytes = 0;
      if (slices.length > SLICES) windowBytes -= slices.shift() ?? 0;
      return slices.length === SLICES ? windowBytes : undefined;
    },
  };
}

function tooSlow(windowBytes: number, limits: { windowMs: number; minBytesPerSecond: number }): Fault {
  const windowText = `${limits.windowMs / 1000} s`;
  const what =
    windowBytes === 0
      ? `no byte came for ${windowText}`
      : `fewer than ${limits.minBytesPerSecond} bytes per second came over ${windowText}`;
  return new Fault('UPLOAD_TIMEOUT', `The upload was ended because ${what}. Send the file again.`, { retryable: true });
}
