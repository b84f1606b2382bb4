/** The time in which one message may be handled. */
export type Lease = {
  /** Ends it. True: it was over before. */
  end(): boolean;
};

/** Well within the time after which a reconciler takes a message for lost. */
const TOUCH_MS = 15_000;

/**
 * While a message is handled, the broker is told again and again that it is worked on, so that a short time suffices to notice a
 * process that died. A handler that never ends gives its message up all the same.
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
    // Not told: at worst the message is emitted once more.
    touch().catch(() => {});
  }, TOUCH_MS);
  const stop = () => {
    clearInterval(extending);
    clearInterval(touching);
    clearTimeout(ending);
  };
  let isOver = false;
  const ending = setTimeout(() => {
    isOver = true;
    stop();
    giveUp();
  }, leaseMs);
  return {
    end() {
      stop();
      return isOver;
    },
  };
}
