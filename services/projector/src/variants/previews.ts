/** Previews that are made once nothing else waits for a worker, and nothing new has come for a moment. */
export type Previews = {
  /** Something else has come: previews that have not begun wait a moment more. */
  postpone(): void;
  /**
   * Has one made for a tenant. Resolves at once while there is room among those that wait, and else when it is made, so that no more comes
   * meanwhile. Never rejects.
   */
  add(preview: NewPreview): Promise<void>;
  /** Starts those that wait. Resolves when none is left, made or given up. */
  settle(): Promise<void>;
};

export type NewPreview = {
  tenantId: string;
  /** The size of the file that is kept for it. */
  sizeBytes: number;
  /** `hasWaited`: it had to wait for others, and its attachment may be gone. It reports its own failures: here a failed one is over like any other. */
  make(hasWaited: boolean): Promise<void>;
};

const MAX_WAITING = 1_000;
const MAX_WAITING_BYTES = 256 * 1024 * 1024;

/** Pictures that come together are all looked at before the first preview takes processor time from them. */
const QUIET_MS = 100;
/** Longer than this none waits, even while messages keep coming. */
const MAX_QUIET_WAIT_MS = 5_000;
/** After this an attachment may be gone. */
const LONG_WAIT_MS = 1_000;

/** How many previews of each tenant are in work at once. The pool decides which of them get a worker. */
const MAX_IN_WORK = 4;

/** Each tenant's are made in the order in which they came. */
export function createPreviews(): Previews {
  const lanes = new Map<string, Lane>();
  const unmade = new Set<Promise<void>>();
  let waitingBytes = 0;
  // Sooner than there is no room left, and the next message would have to wait.
  const isHalfFull = () => unmade.size > MAX_WAITING / 2 || waitingBytes > MAX_WAITING_BYTES / 2;
  const quiet = createQuiet(isHalfFull);
  return {
    postpone: quiet.postpone,
    async add({ tenantId, sizeBytes, make }) {
      const lane = lanes.get(tenantId) ?? createLane(quiet);
      lanes.set(tenantId, lane);
      waitingBytes += sizeBytes;
      const leave = (made: Promise<void>) => {
        waitingBytes -= sizeBytes;
        unmade.delete(made);
        if (lane.isEmpty()) lanes.delete(tenantId);
      };
      const made: Promise<void> = lane.run(make).then(
        () => leave(made),
        () => leave(made),
      );
      unmade.add(made);
      if (unmade.size > MAX_WAITING || waitingBytes > MAX_WAITING_BYTES) await made;
    },
    async settle() {
      quiet.end();
      while (unmade.size > 0) await Promise.all(unmade);
    },
  };
}

type Quiet = ReturnType<typeof createQuiet>;

/** Lets those that wait continue in their order, once nothing has come for a moment. */
function createQuiet(isPressed: () => boolean) {
  let quietAtMs = 0;
  let last = Promise.resolve();
  const waitSince = async (sinceMs: number): Promise<void> => {
    while (!isPressed()) {
      const leftMs = Math.min(quietAtMs, sinceMs + MAX_QUIET_WAIT_MS) - performance.now();
      if (leftMs <= 0) return;
      await new Promise((resolve) => setTimeout(resolve, leftMs));
    }
  };
  return {
    postpone: () => {
      quietAtMs = performance.now() + QUIET_MS;
    },
    /** Resolves at the next quiet moment, or once `sinceMs` is five seconds ago. */
    wait(sinceMs: number): Promise<void> {
      last = last.then(() => waitSince(sinceMs));
      return last;
    },
    /** It is quiet until something comes. */
    end: () => {
      quietAtMs = 0;
    },
  };
}

type Lane = ReturnType<typeof createLane>;

function createLane(quiet: Quiet) {
  const queue: (() => void)[] = [];
  let inWork = 0;
  return {
    isEmpty: () => inWork === 0,
    async run(make: NewPreview['make']): Promise<void> {
      const addedAtMs = performance.now();
      const isBehind = inWork >= MAX_IN_WORK;
      if (isBehind) await new Promise<void>((begin) => queue.push(begin));
      else inWork += 1;
      try {
        await quiet.wait(addedAtMs);
        await make(isBehind || performance.now() - addedAtMs > LONG_WAIT_MS);
      } finally {
        // The next one has its place.
        const next = queue.shift();
        if (next) next();
        else inWork -= 1;
      }
    },
  };
}
