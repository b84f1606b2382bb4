/** The sender of a request: its tenant, and any name of its credential. */
export type LaneHolder = { tenantId: string; credential: string };

/**
 * Runs a few requests of each tenant at a time while its others wait: however many it sends, others find the process as free (BX-27). Its credentials take
 * turns, each with its requests in their order.
 */
export type CallerLanes = {
  run<T>(holder: LaneHolder, work: () => Promise<T>): Promise<T>;
  /** The same before it is known whose key it is: that of its last success, or of nobody. Work returns whose it is. */
  runForKey<T extends { tenantId: string }>(keyId: string, work: () => Promise<T>): Promise<T>;
};

/** Keys whose tenant is remembered; the oldest is forgotten. */
const KNOWN_KEYS = 10_000;

type Lane = { running: number; waiting: Map<string, (() => void)[]> };

/** `places`: how many requests of one tenant run at a time. */
export function createCallerLanes(places: number): CallerLanes {
  const tenants = new Map<string, string>();
  const lanes = new Map<string, Lane>();

  async function enter({ tenantId, credential }: LaneHolder): Promise<Lane> {
    const lane = lanes.get(tenantId) ?? { running: 0, waiting: new Map() };
    lanes.set(tenantId, lane);
    if (lane.running < places) lane.running += 1;
    // Who leaves gives the place on, so that nobody gets in between.
    else await new Promise<void>((resolve) => lineUp(lane, credential, resolve));
    return lane;
  }

  function leave(tenantId: string, lane: Lane): void {
    const next = takeNext(lane);
    // Others get the event loop in between.
    if (next) setImmediate(next);
    else lane.running -= 1;
    if (lane.running === 0) lanes.delete(tenantId);
  }

  async function run<T>(holder: LaneHolder, work: () => Promise<T>): Promise<T> {
    const lane = await enter(holder);
    try {
      return await work();
    } finally {
      leave(holder.tenantId, lane);
    }
  }

  return {
    run,
    async runForKey(keyId, work) {
      const found = await run({ tenantId: tenants.get(keyId) ?? '', credential: keyId }, work);
      tenants.delete(keyId);
      tenants.set(keyId, found.tenantId);
      const [oldest = ''] = tenants.size > KNOWN_KEYS ? tenants.keys() : [];
      tenants.delete(oldest);
      return found;
    },
  };
}

function lineUp({ waiting }: Lane, credential: string, begin: () => void): void {
  const line = waiting.get(credential);
  if (line) line.push(begin);
  else waiting.set(credential, [begin]);
}

/** The first of the credential that was served longest ago. */
function takeNext({ waiting }: Lane): (() => void) | undefined {
  const [first] = waiting;
  if (first === undefined) return undefined;
  const [credential, line] = first;
  const next = line.shift();
  waiting.delete(credential);
  if (line.length > 0) waiting.set(credential, line);
  return next;
}
