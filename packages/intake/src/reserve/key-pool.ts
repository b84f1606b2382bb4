import { randomBytes, randomUUID } from 'node:crypto';
import { type BlobKey, createBlobKey } from '@attache/blob-store';
import { type Database, fillKeyPool, RESERVED_FOR_MS, releaseKeys, untilAnswered } from '@attache/database';

/** The share of the quota that a key holds. An upload that may be larger reserves for itself. */
export const SHARE_BYTES = 4 * 1024 * 1024;
const LEAST_SHARE_BYTES = 128 * 1024;
const FIRST_KEYS = 4;
const MOST_KEYS = 64;
/** With less to reserve there is no pool: a 64th of it is the least share of the first keys. */
export const LEAST_FREE_BYTES = 64 * FIRST_KEYS * LEAST_SHARE_BYTES;
const MAX_AGE_MS = RESERVED_FOR_MS / 2;
/** How long no keys are reserved after there was no room for them, or no answer. */
const REST_MS = 10_000;

/** A blob row that is reserved, and under whose key nobody wrote. */
export type PooledKey = { blobId: string; key: BlobKey };

export type PoolDeps = {
  db: Database;
  storeId: string;
  /** Incarnation with whose lease the keys end. */
  holder: string | undefined;
  /** A call that the database does not answer is repeated until then. */
  isStopping(): boolean;
};

/** Keys of one tenant. */
export type KeyPool = {
  /** A key that holds so much, for one upload; undefined where there is none. Makes no round trip: keys are reserved behind it. */
  take(reserveBytes: number): PooledKey | undefined;
  isEmpty(): boolean;
  /** Gives back what no upload took. True where there was anything. */
  giveBack(): Promise<boolean>;
};

type HeldKey = PooledKey & { shareBytes: number; reservedAtMs: number };

export function createKeyPool(deps: PoolDeps, tenantId: string): KeyPool {
  let keys: HeldKey[] = [];
  // Size of the last fill: it doubles while uploads keep coming.
  let capacity = 0;
  let isFilling = false;
  let restsUntilMs = 0;
  // One after the other, so that what is given back includes what is being reserved.
  let steps: Promise<unknown> = Promise.resolve();

  const addStep = <T>(step: () => Promise<T>): Promise<T> => {
    const done = steps.then(step);
    steps = done.catch(() => {});
    return done;
  };
  const rest = () => {
    restsUntilMs = Date.now() + REST_MS;
  };
  const fill = async () => {
    const reservedAtMs = Date.now();
    const larger = Math.min(MOST_KEYS, Math.max(FIRST_KEYS, capacity * 2));
    const made = makeKeys(tenantId, larger - keys.length);
    const shareBytes = await reserve(deps, tenantId, made);
    if (shareBytes === null) return rest();
    keys.push(...made.map((each) => ({ ...each, shareBytes, reservedAtMs })));
    capacity = larger;
  };
  const startFilling = () => {
    isFilling = true;
    void addStep(fill)
      .catch(rest)
      .finally(() => {
        isFilling = false;
      });
  };
  const dropOld = (oldestMs: number) => {
    const old = keys.filter(({ reservedAtMs }) => reservedAtMs < oldestMs);
    if (old.length === 0) return;
    keys = keys.filter(({ reservedAtMs }) => reservedAtMs >= oldestMs);
    void addStep(() => release(deps, tenantId, old));
  };

  return {
    take(reserveBytes) {
      const nowMs = Date.now();
      dropOld(nowMs - MAX_AGE_MS);
      const at = keys.findIndex(({ shareBytes }) => shareBytes >= reserveBytes);
      const [taken] = at < 0 ? [] : keys.splice(at, 1);
      if (keys.length <= capacity / 2 && !isFilling && nowMs >= restsUntilMs) startFilling();
      return taken && { blobId: taken.blobId, key: taken.key };
    },
    isEmpty: () => keys.length === 0 && !isFilling,
    giveBack() {
      rest();
      return addStep(() => release(deps, tenantId, keys.splice(0)));
    },
  };
}

const makeKeys = (tenantId: string, count: number): PooledKey[] =>
  Array.from({ length: count }, () => ({ blobId: randomUUID(), key: createBlobKey(tenantId, randomBytes(16)) }));

/** Returns the share of each key; null if there is no room. If no answer comes, it does not matter whether the commit happened: its keys are given back. */
async function reserve(deps: PoolDeps, tenantId: string, made: readonly PooledKey[]): Promise<number | null> {
  const { db, storeId, holder } = deps;
  const keys = made.map(({ blobId, key }) => ({ id: blobId, key }));
  const shares = { shareBytes: SHARE_BYTES, leastShareBytes: LEAST_SHARE_BYTES };
  try {
    return await fillKeyPool(db, { tenantId, keys, storeId, holder, ...shares });
  } catch {
    await release(deps, tenantId, made);
    return null;
  }
}

// Keys that cannot be given back end with the holder's lease, or by their age.
async function release(deps: PoolDeps, tenantId: string, keys: readonly PooledKey[]): Promise<boolean> {
  if (keys.length === 0) return false;
  const ids = keys.map(({ blobId }) => blobId);
  await untilAnswered(
    () => releaseKeys(deps.db, tenantId, ids),
    () => !deps.isStopping(),
  ).catch(() => {});
  return true;
}
