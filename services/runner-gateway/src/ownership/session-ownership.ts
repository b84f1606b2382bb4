import { Fault, isFault } from '@attache/contracts';
import {
  type Claim,
  claimSession,
  type Database,
  type Fence,
  filterOwnedSessions,
  findOwner,
  holdEpoch,
  type OwnerWrite,
  type OwnerWritten,
  type ReplicaIdentity,
  releaseSession,
  runDurably,
  type Tx,
  untilAnswered,
  writeAsOwner,
} from '@attache/database';
import type { Doorbells } from '@attache/event-bus';
import { recordTakeover } from '@attache/telemetry';
import { createHeldSessions, type SessionKey } from './held-sessions.ts';
import { type Commit, createSessionWriter } from './session-writer.ts';

export type { SessionKey } from './held-sessions.ts';

/** The sessions that this incarnation owns, each under its epoch. */
export type SessionOwnership = {
  identity: ReplicaIdentity;
  /** Takes the session, or answers how it is held. Undefined: another living gateway owns it, or it is of a tenant that this one does not serve. */
  claim(session: SessionKey): Promise<Claim | undefined>;
  /** Incarnation of the other living gateway that owns the session, or that had it last if nobody owns it; undefined if there is none. */
  findOther(session: SessionKey): Promise<string | undefined>;
  /** The work that the last owner of a session had begun is settled. */
  markSettled(session: SessionKey): void;
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
  /**
   * Writes to the session's log, and moves its deliveries, in the order of the calls. Writes that come while a commit runs go into the next one; work of
   * `asOwner` and `step` comes after earlier calls. If a write of this agent (uuid) failed, those that wait behind it fail as it
   * did. It outlasts an outage as `step` does.
   */
  write(session: SessionKey, agentId: string, write: OwnerWrite): Promise<OwnerWritten>;
  /** Whether less waits for its commit than one commit takes. */
  hasRoom(session: SessionKey): boolean;
  /** Resolves once all that was given to `write` until now is committed or refused. */
  settled(session: SessionKey): Promise<void>;
  /** False once a stop no longer waits for the database. */
  isWaiting(): boolean;
  isHeld(session: SessionKey): boolean;
  /** Sessions that are held now. */
  held(): SessionKey[];
  /** Lets go of a session in which nothing is in progress, so that any replica may take it. False: something is. */
  release(session: SessionKey): Promise<boolean>;
  /** The same if deliveries may wait in it: another gateway takes them over. */
  handOver(session: SessionKey): Promise<boolean>;
  /** Looks which sessions have gone to others while the lease had ended. */
  review(): Promise<void>;
  /** Every session is somebody else's from now on. */
  loseAll(): void;
  /** Nothing may act for these sessions until each is claimed again, under a higher epoch. */
  fence(): void;
  /** Those of `fence` that were not claimed since. */
  fenced(): SessionKey[];
};

const ownershipLost = (): Fault => new Fault('OWNERSHIP_LOST', 'Another gateway owns the session now.');

const REVIEWED_AT_ONCE = 500;

export type OwnershipDeps = {
  db: Database;
  identity: ReplicaIdentity;
  isWaiting: () => boolean;
  /** The only tenant whose sessions are taken; undefined: those of all. */
  pinnedTenant?: string | undefined;
  /** Gives up all sessions if the lease is about to end. Called before anything acts for one. */
  checkLease?: () => void;
  /** Called with a session that another gateway has taken. */
  onLost: (session: SessionKey) => void;
  /** Notifies the followers of events that were committed to the session's log. */
  doorbells: Pick<Doorbells, 'ring' | 'sendEvents'>;
};

/** Work that counts only while the fence of its session holds; `onLost` is called if it does not. */
function behindFence<T>(
  session: SessionKey,
  fenceOf: (session: SessionKey) => Fence,
  work: (tx: Tx, epoch: number) => Promise<T>,
  onLost: () => void,
) {
  return async (tx: Tx, mark: (transactionId: string) => void): Promise<T> => {
    const fence = fenceOf(session);
    const { isHeld, transactionId } = await holdEpoch(tx, session.sessionId, fence);
    mark(transactionId);
    if (isHeld) return work(tx, fence.epoch);
    onLost();
    throw ownershipLost();
  };
}

/** Those of these sessions that others own by now. */
async function* findLost(db: Database, identity: ReplicaIdentity, held: readonly SessionKey[]) {
  const present = held.map(({ tenantId, sessionId }) => ({ tenantId, sessionId }));
  for (let begin = 0; begin < present.length; begin += REVIEWED_AT_ONCE) {
    const page = present.slice(begin, begin + REVIEWED_AT_ONCE);
    const owned = new Set((await filterOwnedSessions(db, identity, page)).map(({ sessionId }) => sessionId));
    yield* page.filter(({ sessionId }) => !owned.has(sessionId));
  }
}

type Step = SessionOwnership['step'];

function createStep({
  fenceOf,
  isWaiting,
  lose,
}: Pick<SessionOwnership, 'fenceOf' | 'isWaiting'> & { lose(session: SessionKey): void }): Step {
  return async (session, work) => {
    try {
      return await untilAnswered(() => work(fenceOf(session)), isWaiting);
    } catch (error) {
      if (isFault(error, 'OWNERSHIP_LOST')) lose(session);
      throw error;
    }
  };
}

function createCommit({ db, doorbells }: Pick<OwnershipDeps, 'db' | 'doorbells'>, step: Step): Commit {
  return async (session, writes) => {
    let isRepeated = false;
    const { outcomes, events } = await step(session, (fence) => {
      const commit = { session, fence, writes, isRepeated };
      isRepeated = true;
      return writeAsOwner(db, commit);
    });
    const { tenantId, sessionId } = session;
    if (events.length > 0) doorbells.sendEvents(sessionId, { tenantId, events });
    else doorbells.ring([`log:${sessionId}`]);
    return outcomes;
  };
}

async function findOther(db: Database, { incarnation }: ReplicaIdentity, session: SessionKey) {
  const owner = await findOwner(db, session);
  return owner === incarnation ? undefined : owner;
}

export function createOwnership(deps: OwnershipDeps): SessionOwnership {
  const { db, identity, isWaiting, onLost } = deps;
  const sessions = createHeldSessions(onLost);
  const fenceOf = ({ sessionId }: SessionKey): Fence => {
    deps.checkLease?.();
    const epoch = sessions.find(sessionId)?.epoch;
    if (epoch === undefined) throw ownershipLost();
    return { incarnation: identity.incarnation, epoch };
  };
  const step = createStep({ fenceOf, isWaiting, lose: sessions.lose });
  const release = async (session: SessionKey, handsOver: boolean) => {
    const isReleased = await releaseSession(db, { ...identity, ...session, handsOver });
    if (isReleased) sessions.forget(session);
    return isReleased;
  };
  const writer = createSessionWriter(createCommit(deps, step));
  return {
    identity,
    isWaiting,
    async claim(session) {
      const present = sessions.find(session.sessionId);
      if (present) return present;
      if (deps.pinnedTenant !== undefined && session.tenantId !== deps.pinnedTenant) return undefined;
      const claim = await claimSession(db, { ...identity, ...session, isAgain: sessions.isFenced(session) });
      sessions.settleClaim(session, claim);
      if (claim?.goneMs !== undefined) recordTakeover({ goneMs: claim.goneMs });
      return claim;
    },
    findOther: (session) => findOther(db, identity, session),
    markSettled: sessions.markSettled,
    fenceOf,
    async asOwner(session, work) {
      await writer.settled(session.sessionId);
      const fenced = behindFence(session, fenceOf, work, () => sessions.lose(session));
      return runDurably(db, session.tenantId, fenced, isWaiting);
    },
    async step(session, work) {
      await writer.settled(session.sessionId);
      return step(session, work);
    },
    write: writer.write,
    hasRoom: ({ sessionId }) => writer.hasRoom(sessionId),
    settled: ({ sessionId }) => writer.settled(sessionId),
    isHeld: ({ sessionId }) => sessions.find(sessionId) !== undefined,
    held: sessions.list,
    release: (session) => release(session, false),
    handOver: (session) => release(session, true),
    async review() {
      for await (const session of findLost(db, identity, sessions.list())) sessions.lose(session);
    },
    loseAll: sessions.loseAll,
    fence: sessions.fence,
    fenced: sessions.fenced,
  };
}
