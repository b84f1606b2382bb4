import {
  createKeyPool,
  type KeyPool,
  LEAST_FREE_BYTES,
  type PoolDeps,
  type PooledKey,
  SHARE_BYTES,
} from './key-pool.ts';

const MAX_POOLS = 256;
/** A pool ends when its tenant has uploaded nothing that fits for so long. */
const QUIET_MS = 60_000;
const LOOK_MS = 10_000;

/** The needs of an upload, and the bytes that its tenant may still reserve; null if it has no quota. */
export type PoolRequest = { tenantId: string; reserveBytes: number; freeBytes: number | null };

/** The pools of one process, one for each tenant that uploads. */
export type KeyPools = {
  /** A reserved key for one upload; undefined where it has to reserve for itself. */
  take(request: PoolRequest): PooledKey | undefined;
  holdsAny(tenantId: string): boolean;
  /** Gives back what no upload of the tenant took. True where there was anything. */
  giveBack(tenantId: string): Promise<boolean>;
  /** Gives all back; from then on there are none. */
  stop(): Promise<void>;
};

type Entry = { pool: KeyPool; usedAtMs: number };

export function createKeyPools(deps: Omit<PoolDeps, 'isStopping'>): KeyPools {
  const pools = new Map<string, Entry>();
  let isStopping = false;
  const poolDeps: PoolDeps = { ...deps, isStopping: () => isStopping };

  const endQuiet = (nowMs: number) => {
    for (const [tenantId, { pool, usedAtMs }] of pools) {
      if (usedAtMs > nowMs - QUIET_MS) continue;
      pools.delete(tenantId);
      void pool.giveBack();
    }
  };
  const timer = setInterval(() => endQuiet(Date.now()), LOOK_MS);
  timer.unref();

  return {
    take({ tenantId, reserveBytes, freeBytes }) {
      if (isStopping || reserveBytes > SHARE_BYTES) return undefined;
      const known = pools.get(tenantId);
      if (freeBytes !== null && freeBytes < LEAST_FREE_BYTES) {
        if (known?.pool.isEmpty() === false) void known.pool.giveBack();
        return undefined;
      }
      const usedAtMs = Date.now();
      if (known) {
        known.usedAtMs = usedAtMs;
        return known.pool.take(reserveBytes);
      }
      // For a second upload soon after: who brings one file now and then would pay for keys without a use.
      if (pools.size < MAX_POOLS) pools.set(tenantId, { pool: createKeyPool(poolDeps, tenantId), usedAtMs });
      return undefined;
    },
    holdsAny: (tenantId) => pools.get(tenantId)?.pool.isEmpty() === false,
    async giveBack(tenantId) {
      return (await pools.get(tenantId)?.pool.giveBack()) ?? false;
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await Promise.all([...pools.values()].map(({ pool }) => pool.giveBack()));
      pools.clear();
    },
  };
}
