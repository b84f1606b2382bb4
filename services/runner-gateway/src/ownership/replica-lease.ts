import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@attache/contracts';
import { type Database, type HeldReplica, type ReplicaIdentity, renewLease, takeReplica } from '@attache/database';
import type { Logger } from '@attache/telemetry';

const LEASE_MS = 6_000;
const HEARTBEAT_MS = 2_000;
// The lease has ended by then, also by a clock that differs a little.
const MARGIN_MS = 50;

type LeaseDeps = { db: Database; log: Logger; identity: ReplicaIdentity };

/**
 * Takes the name of this replica, where its former holder is dead or its lease ends. Throws where that one renews its lease: it lives.
 * `deadIncarnation` is known to be dead.
 */
export async function takeName(
  { db, log, identity }: LeaseDeps,
  deadIncarnation: string | undefined,
  pause: (ms: number) => Promise<unknown> = delay,
): Promise<void> {
  const take = () => takeReplica(db, { ...identity, leaseMs: LEASE_MS, deadIncarnation });
  let seen: HeldReplica | undefined;
  for (let taken = await take(); taken.outcome === 'held'; taken = await take()) {
    const { leftMs, incarnation, leaseUntil } = taken;
    if (seen && (seen.incarnation !== incarnation || seen.leaseUntil !== leaseUntil))
      throw nameTaken(identity.replicaId);
    seen = taken;
    log.info({ replicaId: identity.replicaId, leftMs }, 'replica.waits_for_lease');
    await pause(leftMs + MARGIN_MS);
  }
}

function nameTaken(replicaId: string): Fault {
  return new Fault(
    'CONFIGURATION_INVALID',
    `Another gateway runs as ${replicaId}: stop it, or give this one a name of its own by ATTACHE_REPLICA_ID.`,
  );
}

export type LeaseKeeping = {
  /** False from when another one has the name until it is this one's again. */
  isHeld(): boolean;
  /** Stops the heartbeat. */
  stop(): Promise<void>;
  /** Says that this replica is gone, so that nobody waits for its lease. */
  giveUp(): Promise<void>;
};

/**
 * Renews the lease of a name that was taken. `onLapsed`: it had ended meanwhile, so that sessions may have gone to others. `onLost`:
 * another incarnation has the name, and with it all; this one tries to get it back and owns nothing until then.
 */
export function keepLease(
  { db, log, identity }: LeaseDeps,
  { onLapsed, onLost }: { onLapsed: () => Promise<void>; onLost: () => void },
): LeaseKeeping {
  let beating: Promise<void> | undefined;
  let isHeld = true;
  const beat = async () => {
    const renewal = await renewLease(db, { ...identity, leaseMs: LEASE_MS, state: 'active' });
    if (renewal === 'lapsed') await onLapsed();
    if (renewal !== 'lost') return;
    if (isHeld) log.error({ replicaId: identity.replicaId }, 'replica.name_lost');
    isHeld = false;
    onLost();
    isHeld = (await takeReplica(db, { ...identity, leaseMs: LEASE_MS })).outcome === 'taken';
  };
  const timer = setInterval(() => {
    beating ??= beat()
      .catch((error) => log.warn({ err: error }, 'lease.not_renewed'))
      .finally(() => {
        beating = undefined;
      });
  }, HEARTBEAT_MS);
  return {
    isHeld: () => isHeld,
    async stop() {
      clearInterval(timer);
      await beating;
    },
    async giveUp() {
      await renewLease(db, { ...identity, leaseMs: 0, state: 'gone' });
    },
  };
}
