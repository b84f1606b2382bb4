import type { ReplicaIdentity } from '@attache/database';

/** A process next to the gateway that stops its agents if the gateway itself cannot: it is stopped, hangs, or has died. */
export type LeaseGuard = {
  /** Agents may run until this moment of `readMonotonicMs`. */
  renew(untilMs: number): void;
  /** The gateway ends as it should: nothing is left to do. */
  stop(): Promise<void>;
};

export type StartGuard = (identity: ReplicaIdentity) => Promise<LeaseGuard>;

/** In milliseconds, by the clock that all processes of a machine share and nobody sets. */
export const readMonotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
