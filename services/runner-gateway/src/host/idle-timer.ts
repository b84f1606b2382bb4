/** Stops an agent that has rested for long. It does not rest while one of its turns runs. */
export type IdleTimer = {
  begin(): void;
  /** The rest begins with the end of the last turn in progress. */
  end(): void;
  /** For good: the agent leaves. */
  cancel(): void;
};

/** `idleMs` is asked when the rest begins; undefined: it rests for as long as it likes. */
export function createIdleTimer(idleMs: () => number | undefined, onIdle: () => void): IdleTimer {
  let turns = 0;
  let timer: NodeJS.Timeout | undefined;
  let isCancelled = false;
  const fire = () => {
    if (turns === 0 && !isCancelled) onIdle();
  };
  return {
    begin() {
      turns += 1;
      clearTimeout(timer);
    },
    end() {
      turns -= 1;
      clearTimeout(timer);
      const restMs = turns === 0 && !isCancelled ? idleMs() : undefined;
      if (restMs !== undefined) timer = setTimeout(fire, restMs).unref();
    },
    cancel() {
      isCancelled = true;
      clearTimeout(timer);
    },
  };
}
