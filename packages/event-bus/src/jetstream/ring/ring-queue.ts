/** Rings that wait for a place: a bounded number of each tenant and of all, taken from the tenants in turn. */
export type RingQueue<R> = {
  /** False: there is no room. */
  add(ring: R): boolean;
  /** The next one that still counts, of a tenant that has not its share in work yet; until `end` it is in work. */
  next(): R | undefined;
  /** Whether there may be a next one. */
  hasNext(): boolean;
  end(ring: R): void;
};

/**
 * A ring that waited for longer than `maxAgeMs` counts no more: the relay brings its message. So does what finds no room, so that the rings of
 * one tenant, however many, neither hold up those of another nor fill the memory.
 */
export function createRingQueue<R extends { tenantId: string }>(options: {
  maxPerTenant: number;
  maxRings: number;
  maxAgeMs: number;
  /** Limit for one tenant. */
  maxInWork: number;
  now?: () => number;
}): RingQueue<R> {
  const { maxPerTenant, maxRings, maxAgeMs, maxInWork, now = () => performance.now() } = options;
  // In the order of their turns: a tenant that had one goes to the end.
  const tenants = new Map<string, { ring: R; cameAt: number }[]>();
  const inWork = new Map<string, number>();
  let size = 0;

  const findTurn = () => tenants.entries().find(([tenantId]) => (inWork.get(tenantId) ?? 0) < maxInWork);
  const takeOne = () => {
    const [tenantId, rings = []] = findTurn() ?? [];
    if (tenantId === undefined) return undefined;
    const taken = rings.shift();
    tenants.delete(tenantId);
    if (rings.length > 0) tenants.set(tenantId, rings);
    size -= 1;
    return taken;
  };
  return {
    add(ring) {
      const rings = tenants.get(ring.tenantId) ?? [];
      if (rings.length >= maxPerTenant || size >= maxRings) return false;
      rings.push({ ring, cameAt: now() });
      tenants.set(ring.tenantId, rings);
      size += 1;
      return true;
    },
    next() {
      for (let taken = takeOne(); taken; taken = takeOne()) {
        if (now() - taken.cameAt > maxAgeMs) continue;
        const { tenantId } = taken.ring;
        inWork.set(tenantId, (inWork.get(tenantId) ?? 0) + 1);
        return taken.ring;
      }
      return undefined;
    },
    hasNext: () => findTurn() !== undefined,
    end({ tenantId }) {
      const left = (inWork.get(tenantId) ?? 0) - 1;
      if (left > 0) inWork.set(tenantId, left);
      else inWork.delete(tenantId);
    },
  };
}
