/** Previews that are made once nothing else waits for a worker. */
export type Previews = {
  /**
   * Has one made for a tenant. Resolves at once while there is room among those that wait, and else when it is made, so that no more comes
   * meanwhile. Never rejects.
   */
  add(preview: NewPreview): Promise<void>;
  /** Resolves when none is left, made or given up. */
  settle(): Promise<void>;
};

export type NewPreview = {
  tenantId: string;
  /** Of the file that is kept for it. */
  sizeBytes: number;
  /** `hasWaited`: it had to wait for others. What fails is said by itself: here it is over like any other. */
  make(hasWaited: boolean): Promise<void>;
};

const MAX_WAITING = 1_000;
const MAX_WAITING_BYTES = 256 * 1024 * 1024;

/** Of each tenant so many are in work at once; which of them get a worker is for the pool to say. */
const MAX_IN_WORK = 4;

/** Each tenant's are made in the order in which they came. */
export function createPreviews(): Previews {
  const lanes = new Map<string, Lane>();
  const unmade = new Set<Promise<void>>();
  let waitingBytes = 0;
  return {
    async add({ tenantId, sizeBytes, make }) {
      const lane = lanes.get(tenantId) ?? createLane();
      lanes.set(tenantId, lane);
      waitingBytes += sizeBytes;
      const settle = () => {
        waitingBytes -= sizeBytes;
        unmade.delete(made);
        if (lane.isEmpty()) lanes.delete(tenantId);
      };
      const made: Promise<void> = lane.run(make).then(settle, settle);
      unmade.add(made);
      if (unmade.size > MAX_WAITING || waitingBytes > MAX_WAITING_BYTES) await made;
    },
    async settle() {
      while (unmade.size > 0) await Promise.all(unmade);
    },
  };
}

type Lane = ReturnType<typeof createLane>;

function createLane() {
  const queue: (() => void)[] = [];
  let inWork = 0;
  return {
    isEmpty: () => inWork === 0,
    async run(make: NewPreview['make']): Promise<void> {
      const hasWaited = inWork >= MAX_IN_WORK;
      if (hasWaited) await new Promise<void>((begin) => queue.push(begin));
      else inWork += 1;
      try {
        await make(hasWaited);
      } finally {
        // The next one has its place.
        const next = queue.shift();
        if (next) next();
        else inWork -= 1;
      }
    },
  };
}
