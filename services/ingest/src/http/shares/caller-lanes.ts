/** Runs a few requests of each tenant at a time, in their order, while its others wait: however many it sends, others find the process as free (BX-27). */
export type CallerLanes = {
  run<T>(tenantId: string, work: () => Promise<T>): Promise<T>;
  /** The same before it is known whose key it is: that of its last success, or of nobody. Work returns whose it is. */
  runForKey<T extends { tenantId: string }>(keyId: string, work: () => Promise<T>): Promise<T>;
};

/** Keys whose tenant is remembered; the oldest is forgotten. */
const KNOWN_KEYS = 10_000;

type Lane = { running: number; waiting: (() => void)[] };

/** `places`: how many requests of one tenant run at a time. */
export function createCallerLanes(places: number): CallerLanes {
  const tenants = new Map<string, string>();
  const lanes = new Map<string, Lane>();

  async function enter(tenantId: string): Promise<Lane> {
    const lane = lanes.get(tenantId) ?? { running: 0, waiting: [] };
    lanes.set(tenantId, lane);
    if (lane.running < places) lane.running += 1;
    // Who leaves gives the place on, so that nobody gets in between.
    else await new Promise<void>((resolve) => lane.waiting.push(resolve));
    return lane;
  }

  function leave(tenantId: string, lane: Lane): void {
    const next = lane.waiting.shift();
    // Others get the event loop in between.
    if (next) setImmediate(next);
    else lane.running -= 1;
    if (lane.running === 0) lanes.delete(tenantId);
  }

  async function run<T>(tenantId: string, work: () => Promise<T>): Promise<T> {
    const lane = await enter(tenantId);
    try {
      return await work();
    } finally {
      leave(tenantId, lane);
    }
  }

  return {
    run,
    async runForKey(keyId, work) {
      const found = await run(tenants.get(keyId) ?? '', work);
      tenants.delete(keyId);
      tenants.set(keyId, found.tenantId);
      const [oldest = ''] = tenants.size > KNOWN_KEYS ? tenants.keys() : [];
      tenants.delete(oldest);
      return found;
    },
  };
}
