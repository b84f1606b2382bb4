import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@attache/contracts';
import { type Database, type HeldReplica, type ReplicaIdentity, takeReplica } from '@attache/database';
import type { Logger } from '@attache/telemetry';
import { LEASE_MS } from './keep-lease.ts';

// The lease has ended by then, also by a clock that differs a little.
const MARGIN_MS = 50;

type LeaseDeps = { db: Database; log: Logger; identity: ReplicaIdentity };

/**
 * Takes the name of this replica if its former holder is dead or its lease ends. Throws if that one renews its lease: it lives.
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
