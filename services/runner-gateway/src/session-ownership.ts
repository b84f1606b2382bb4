import { randomUUID } from 'node:crypto';
import { Fault, isFault } from '@attache/contracts';
import {
  claimSession,
  type Database,
  type Fence,
  holdEpoch,
  type ReplicaIdentity,
  releaseSession,
  runDurably,
  type Tx,
  untilAnswered,
} from '@attache/database';

export type SessionKey = { tenantId: string; sessionId: string };

/** The sessions that this incarnation owns, each under its epoch. */
export type SessionOwnership = {
  identity: ReplicaIdentity;
  /** Takes the session, or answers the epoch under which it is held. Undefined: another living replica owns it. */
  claim(session: SessionKey): Promise<number | undefined>;
  fenceOf(session: SessionKey): Fence;
  /**
   * Runs `work` in a transaction that counts only while this incarnation owns the session; else `OWNERSHIP_LOST`. It outlasts an
   * outage of the database, so `work` may run again and must do nothing outside the transaction.
   */
  asOwner<T>(session: SessionKey, work: (tx: Tx, epoch: number) => Promise<T>): Promise<T>;
  /**
   * Runs a statement under the fence that may be repeated after a lost answer, until the database answers; `OWNERSHIP_LOST` as above.
   */
  step<T>(session: SessionKey, work: (fence: Fence) => Promise<T>): Promise<T>;
  /** False once a stop no longer waits for the database. */
  isWaiting(): boolean;
  /** Sessions that are held now. */
  held(): SessionKey[];
  /** Lets go of a session, so that any replica may take it. */
  release(session: SessionKey): Promise<void>;
};

const ownershipLost = (): Fault => new Fault('OWNERSHIP_LOST', 'Another gateway owns the session now.');

export function createOwnership(deps: { db: Database; replicaId: string; isWaiting: () => boolean }): SessionOwnership {
  const identity = { replicaId: deps.replicaId, incarnation: randomUUID() };
  const held = new Map<string, SessionKey & { epoch: number }>();
  const fenceOf = ({ sessionId }: SessionKey): Fence => {
    const epoch = held.get(sessionId)?.epoch;
    if (epoch === undefined) throw ownershipLost();
    return { incarnation: identity.incarnation, epoch };
  };
  return {
    identity,
    isWaiting: deps.isWaiting,
    async claim(session) {
      const present = held.get(session.sessionId);
      if (present) return present.epoch;
      const epoch = await claimSession(deps.db, { ...identity, ...session });
      if (epoch !== undefined) held.set(session.sessionId, { ...session, epoch });
      return epoch;
    },
    fenceOf,
    asOwner: (session, work) => {
      const workAsOwner = async <T>(
        tx: Tx,
        mark: (transactionId: string) => void,
        ownWork: (tx: Tx, epoch: number) => Promise<T>,
      ): Promise<T> => {
        const fence = fenceOf(session);
        const { isHeld, transactionId } = await holdEpoch(tx, session.sessionId, fence);
        mark(transactionId);
        if (isHeld) return ownWork(tx, fence.epoch);
        held.delete(session.sessionId);
        throw ownershipLost();
      };
      return runDurably(deps.db, session.tenantId, (tx, mark) => workAsOwner(tx, mark, work), deps.isWaiting);
    },
    async step(session, work) {
      try {
        return await untilAnswered(() => work(fenceOf(session)), deps.isWaiting);
      } catch (error) {
        if (isFault(error, 'OWNERSHIP_LOST')) held.delete(session.sessionId);
        throw error;
      }
    },
    held: () => [...held.values()].map(({ tenantId, sessionId }) => ({ tenantId, sessionId })),
    async release(session) {
      held.delete(session.sessionId);
      await releaseSession(deps.db, { ...identity, ...session });
    },
  };
}
