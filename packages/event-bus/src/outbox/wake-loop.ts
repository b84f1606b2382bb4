export type WakeLoop = {
  /** Begins with a first round. */
  start(work: LoopWork): void;
  wake(): void;
  wakeAfter(delayMs: number): void;
  /** Starts no further round and waits for the running one. */
  stop(): Promise<void>;
};

type LoopWork = {
  round: () => Promise<boolean>;
  /** Without it, only a wake starts a round. */
  pollMs?: number | undefined;
  onError: (error: unknown) => void;
  /** There is no more work until the next wake. */
  onRest?: () => void;
};

/**
 * Runs `round` when woken, never twice at once; a wake during a round, or `true` from it, makes one more. A timer is the
 * fallback when a wake was lost.
 */
export function createWakeLoop(): WakeLoop {
  const timers = new Set<NodeJS.Timeout>();
  let work: LoopWork | undefined;
  let poll: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;

  const runRounds = async ({ round }: LoopWork) => {
    while (isWanted && !isStopped) {
      isWanted = false;
      if (await round()) isWanted = true;
    }
  };
  const wake = () => {
    isWanted = true;
    if (running || isStopped || !work) return;
    const { onError, onRest } = work;
    running = runRounds(work)
      .catch(onError)
      .finally(() => {
        running = undefined;
        // Woken between the last look and here.
        if (isWanted) wake();
        else onRest?.();
      });
  };
  return {
    start(given) {
      work = given;
      if (given.pollMs !== undefined) poll = setInterval(wake, given.pollMs);
      wake();
    },
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
