/** The hold of this process on one message. */
export type Lease = {
  /** From now on the handler has `leaseMs`. */
  startHandling(): void;
  /** Resolves where the handler took too long: what comes then changes nothing. */
  readonly over: Promise<'over'>;
  /** The handler has ended: from now on the message is kept however long it takes to settle it. */
  endHandling(): void;
  end(): void;
};

/** Well within the time after which a reconciler takes a message for lost. */
const TOUCH_MS = 15_000;

/**
 * While a message is handled, the process keeps telling the broker that it works on it, so that a short time suffices to notice a process that died. A handler
 * that never ends gives its message up all the same.
 */
export function startLease(options: {
  leaseMs: number;
  /** After this time without a word the broker brings the message again. */
  ackWaitMs: number;
  extend: () => void;
  touch: () => Promise<void>;
  giveUp: () => void;
}): Lease {
  const { leaseMs, ackWaitMs, extend, touch, giveUp } = options;
  const extending = setInterval(extend, ackWaitMs / 3);
  const touching = setInterval(() => {
    // A failure is not reported: at worst the message is emitted once more.
    touch().catch(() => {});
  }, TOUCH_MS);
  // A handler that does not end keeps no process alive.
  extending.unref();
  touching.unref();
  let ending: NodeJS.Timeout | undefined;
  const end = () => {
    clearInterval(extending);
    clearInterval(touching);
    clearTimeout(ending);
  };
  const over = Promise.withResolvers<'over'>();
  return {
    over: over.promise,
    startHandling() {
      ending = setTimeout(() => {
        end();
        giveUp();
        over.resolve('over');
      }, leaseMs);
      ending.unref();
    },
    endHandling: () => clearTimeout(ending),
    end,
  };
}
