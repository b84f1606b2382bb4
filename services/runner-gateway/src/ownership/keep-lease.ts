import {
  type Database,
  type OtherGateway,
  type Placement,
  type ReplicaIdentity,
  keepLease as renewInDatabase,
  renewLease,
  takeReplica,
} from '@attache/database';
import type { Logger } from '@attache/telemetry';
import { type LeaseGuard, readMonotonicMs } from './lease-guard.ts';
import type { SessionKey } from './session-ownership.ts';

export const LEASE_MS = 6_000;
/** While no other gateway lives that could take its sessions: then a database that is away for half a minute costs no turn. */
const ALONE_MS = 30_000;
const HEARTBEAT_MS = 2_000;
const LOOK_MS = 200;
/** A renewal that takes longer counts as none. */
const ANSWER_MS = 3_000;
/** How long before its end the agents are stopped: they need a moment for that, and so does the guard that stops them instead. */
const MARGIN_MS = 1_000;

type LeaseDeps = {
  link: LeaseLink;
  log: Logger;
  identity: ReplicaIdentity;
  /** Undefined: no other gateway can have its sessions, and it keeps them whatever the database says. */
  guard: LeaseGuard | undefined;
  aloneMs?: number | undefined;
};

/** The database as the lease reaches it. */
export type LeaseLink = {
  db(): Database;
  /** The next call uses another connection: this one may be cut without notice. */
  reset(): void;
};

/** The gateway whose lease it is: what it says to others, and what it learns. */
type Leaseholder = {
  /** The room of this gateway, as the others are to know it. */
  describePlacement(): Placement;
  /** The room of the others. */
  onOthers(others: readonly OtherGateway[]): void;
  /** The lease had ended meanwhile, so that sessions may have gone to others. */
  onLapsed(): Promise<void>;
  /** Another incarnation has the name, and with it all. */
  onLost(): void;
  /** It could not be renewed, and is about to end: nothing may act under it any more. */
  onFenced(): void;
  /** It is renewed again, after `onFenced`. */
  onRestored(): void;
  /** An operator wants this gateway to let go of its sessions. */
  onDrainAsked(): void;
  /** Or of these. */
  onMovesAsked(sessions: readonly SessionKey[]): void;
};

export type LeaseKeeping = {
  /** Renews it from now on. */
  start(holder: Leaseholder): void;
  /** Whether agents may run. */
  isHeld(): boolean;
  /** Whether sessions may be taken, too. */
  isEntitled(): boolean;
  /** Says at once, and from now on, that this gateway takes no more sessions. */
  startDraining(): void;
  /**
   * Looks whether it is about to end, as it does from time to time. A gateway that was stopped in between calls it before it acts: the guard has dealt with
   * its agents meanwhile.
   */
  look(): void;
  /** Renews it now, so that the others learn of a change. */
  tell(): void;
  /** Milliseconds since the last renewal was asked for. */
  readAgeMs(): number;
  /** Stops the heartbeat. */
  stop(): Promise<void>;
  /** Says that this replica is gone, so that nobody waits for its lease. */
  giveUp(): Promise<void>;
};

type LeaseState = { isNamed: boolean; isFenced: boolean; isDraining: boolean; renewedAtMs: number; untilMs: number };

/** The lease of a name that was just taken, on the clock of this machine alone: the time of the database's clock is compared with nothing. */
export function keepLease(deps: LeaseDeps): LeaseKeeping {
  const { link, log, identity, guard } = deps;
  const now = readMonotonicMs();
  const state: LeaseState = {
    ...{ isNamed: true, isFenced: false, isDraining: false },
    ...{ renewedAtMs: now, untilMs: now + LEASE_MS - MARGIN_MS },
  };
  guard?.renew(state.untilMs);
  let holder: Leaseholder | undefined;
  let beating: Promise<void> | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let looking: NodeJS.Timeout | undefined;
  const beat = () => {
    if (!holder) return;
    beating ??= renew(deps, state, holder)
      .catch((error) => log.warn({ err: error }, 'lease.not_renewed'))
      .finally(() => {
        beating = undefined;
      });
  };
  const look = () => {
    if (guard === undefined || state.isFenced || readMonotonicMs() < state.untilMs) return;
    state.isFenced = true;
    log.error({ replicaId: identity.replicaId }, 'replica.fenced');
    holder?.onFenced();
  };
  const isHeld = () => state.isNamed && !state.isFenced;
  return {
    start(given) {
      holder = given;
      heartbeat = setInterval(beat, HEARTBEAT_MS);
      looking = setInterval(look, LOOK_MS);
    },
    isHeld,
    isEntitled: () => isHeld() && !state.isDraining,
    startDraining() {
      state.isDraining = true;
      beat();
    },
    look,
    tell: beat,
    readAgeMs: () => readMonotonicMs() - state.renewedAtMs,
    async stop() {
      clearInterval(heartbeat);
      clearInterval(looking);
      await beating;
    },
    async giveUp() {
      await inTime(renewLease(link.db(), { ...identity, leaseMs: 0, state: 'gone' }));
    },
  };
}

async function renew(deps: LeaseDeps, state: LeaseState, holder: Leaseholder): Promise<void> {
  const { link, log, identity, guard, aloneMs = ALONE_MS } = deps;
  const sentAtMs = readMonotonicMs();
  const wanted = { ...identity, leaseMs: LEASE_MS, aloneMs, placement: holder.describePlacement() };
  const asked = renewInDatabase(link.db(), { ...wanted, state: state.isDraining ? 'draining' : 'active' });
  const { renewal, leaseMs, isDrainAsked, moves, others } = await inTime(asked).catch((error) => {
    link.reset();
    throw error;
  });
  if (renewal === 'lost') {
    if (state.isNamed) log.error({ replicaId: identity.replicaId }, 'replica.name_lost');
    state.isNamed = false;
    holder.onLost();
    state.isNamed = (await inTime(takeReplica(link.db(), { ...identity, leaseMs: LEASE_MS }))).outcome === 'taken';
    return;
  }
  state.renewedAtMs = sentAtMs;
  // The database counts from a later moment than that at which it was asked.
  state.untilMs = sentAtMs + leaseMs - MARGIN_MS;
  guard?.renew(state.untilMs);
  if (renewal === 'lapsed') await holder.onLapsed();
  if (state.isFenced) {
    state.isFenced = false;
    log.info({ replicaId: identity.replicaId }, 'replica.restored');
    holder.onRestored();
  }
  holder.onOthers(others);
  if (isDrainAsked && !state.isDraining) holder.onDrainAsked();
  if (moves.length > 0) holder.onMovesAsked(moves);
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_MS} ms`)), ANSWER_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
