export type WakeLoop = {
  wake(): void;
  wakeAfter(delayMs: number): void;
  /** Starts no further round and waits for the running one. */
  stop(): Promise<void>;
};

/**
 * Runs `round` when woken, never twice at once; a wake during a round, or `true` from it, makes one more. A timer is the
 * fallback when a wake was lost.
 */
export function startWakeLoop(options: {
  round: () => Promise<boolean>;
  /** Without it, only a wake starts a round. */
  pollMs?: number | undefined;
  onError: (error: unknown) => void;
  /** Nothing more is to do, until the next wake. */
  onRest?: () => void;
}): WakeLoop {
  const timers = new Set<NodeJS.Timeout>();
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;

  const runRounds = async () => {
    while (isWanted && !isStopped) {
      isWanted = false;
      if (await options.round()) isWanted = true;
    }
  };
  const wake = () => {
    isWanted = true;
    if (running || isStopped) return;
    running = runRounds()
      .catch(options.onError)
      .finally(() => {
        running = undefined;
        // Woken between the last look and here.
        if (isWanted) wake();
        else options.onRest?.();
      });
  };
  const poll = options.pollMs === undefined ? undefined : setInterval(wake, options.pollMs);
  wake();
  return {
    wake,
    wakeAfter(delayMs) {
      if (isStopped) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        wake();
      }, delayMs);
      timers.add(timer);
    },
    async stop() {
      isStopped = true;
      clearInterval(poll);
      for (const timer of timers) clearTimeout(timer);
      await running;
    },
  };
}
