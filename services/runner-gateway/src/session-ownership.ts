import { randomUUID } from 'node:crypto';
import { Fault } from '@attache/contracts';
import {
  claimSession,
  type Database,
  type Fence,
  holdEpoch,
  type ReplicaIdentity,
  releaseSession,
  type Tx,
} from '@attache/database';

export type SessionKey = { tenantId: string; sessionId: string };

/** The sessions that this incarnation owns, each under its epoch. */
export type SessionOwnership = {
  identity: ReplicaIdentity;
  /** Takes the session, or answers the epoch under which it is held. Undefined: another living replica owns it. */
  claim(session: SessionKey): Promise<number | undefined>;
  fenceOf(session: SessionKey): Fence;
  /** Runs `work` in a transaction that counts only while this incarnation owns the session; else `OWNERSHIP_LOST`. */
  asOwner<T>(session: SessionKey, work: (tx: Tx, epoch: number) => Promise<T>): Promise<T>;
  /** Sessions that are held now. */
  held(): SessionKey[];
  /** Lets go of a session, so that any replica may take it. */
  release(session: SessionKey): Promise<void>;
};

const ownershipLost = (): Fault => new Fault('OWNERSHIP_LOST', 'Another gateway owns the session now.');

export function createOwnership(deps: { db: Database; replicaId: string }): SessionOwnership {
  const identity = { replicaId: deps.replicaId, incarnation: randomUUID() };
  const held = new Map<string, SessionKey & { epoch: number }>();
  const fenceOf = ({ sessionId }: SessionKey): Fence => {
    const epoch = held.get(sessionId)?.epoch;
    if (epoch === undefined) throw ownershipLost();
    return { incarnation: identity.incarnation, epoch };
  };
  return {
    identity,
    async claim(session) {
      const present = held.get(session.sessionId);
      if (present) return present.epoch;
      const epoch = await claimSession(deps.db, { ...identity, ...session });
      if (epoch !== undefined) held.set(session.sessionId, { ...session, epoch });
      return epoch;
    },
    fenceOf,
    asOwner: (session, work) =>
      deps.db.asTenant(session.tenantId, async (tx) => {
        const fence = fenceOf(session);
        if (!(await holdEpoch(tx, session.sessionId, fence))) {
          held.delete(session.sessionId);
          throw ownershipLost();
        }
        return work(tx, fence.epoch);
      }),
    held: () => [...held.values()].map(({ tenantId, sessionId }) => ({ tenantId, sessionId })),
    async release(session) {
      held.delete(session.sessionId);
      await releaseSession(deps.db, { ...identity, ...session });
    },
  };
}
