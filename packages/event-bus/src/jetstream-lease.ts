/** The hold of this process on one message. */
export type Lease = {
  /** From now on the handler has `leaseMs`. */
  startHandling(): void;
  /** Called where the handler took too long. */
  onGivenUp(then: () => void): void;
  /** The handler has ended: from now on the message is kept however long it takes to settle it. True: the time was over before. */
  endHandling(): boolean;
  end(): void;
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
  let ending: NodeJS.Timeout | undefined;
  const end = () => {
    clearInterval(extending);
    clearInterval(touching);
    clearTimeout(ending);
  };
  let isOver = false;
  let thenGivenUp = () => {};
  return {
    onGivenUp(then) {
      thenGivenUp = then;
    },
    startHandling() {
      ending = setTimeout(() => {
        isOver = true;
        end();
        giveUp();
        thenGivenUp();
      }, leaseMs);
    },
    endHandling() {
      clearTimeout(ending);
      return isOver;
    },
    end,
  };
}
