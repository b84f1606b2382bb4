import type { Claim } from '@attache/database';
import type { SessionKey, SessionOwnership } from './session-ownership.ts';

/** Keeps a session open; its end lets go of the session once nothing is left to do in it. */
export type Visit = Disposable;

/** The sessions in which this gateway works: taken on the first visit, settled before any other work, and let go of when idle. */
export type SessionRegistry = {
  /** Undefined: the session is not this gateway's to take. */
  visit(session: SessionKey): Promise<Visit | undefined>;
  /** Something in this session has come to rest: it is let go if nothing else is left. */
  look(session: SessionKey): void;
  /** Lets go of a session in which no delivery is in progress, whatever else waits or runs in it. */
  leave(session: SessionKey): Promise<void>;
  /** The session is another gateway's. Work in progress in it is stopped before it may be taken again. */
  drop(session: SessionKey): void;
  /** Resolves when nothing is being let go of or dropped. */
  settled(): Promise<void>;
};

export type RegistryDeps = {
  ownership: Pick<SessionOwnership, 'claim' | 'markSettled' | 'release' | 'handOver'>;
  /** Whether this gateway may take sessions at all. */
  isEntitled(): boolean;
  /** Settles the work that the last owner had begun. */
  settle(session: SessionKey, claim: Claim): Promise<void>;
  /** Whether a child of the session lives, or a delivery is being worked on. */
  isBusy(sessionId: string): boolean;
  /** Stops all of that. */
  stopAll(session: SessionKey): Promise<unknown>;
  /** Ends the children of a session that is let go of, as at a stop. */
  rest(session: SessionKey): Promise<unknown>;
  onError(error: unknown): void;
};

type Entry = {
  session: SessionKey;
  visits: number;
  /** Whether it could be taken. */
  opening: Promise<boolean>;
};

/** Work at the end of sessions, for each one thing after the other. */
function createLeavings(onError: (error: unknown) => void) {
  const leavings = new Map<string, Promise<void>>();
  return {
    add(sessionId: string, work: () => Promise<unknown>) {
      const ended = (leavings.get(sessionId) ?? Promise.resolve())
        .then(work)
        .catch(onError)
        .then(() => {
          if (leavings.get(sessionId) === ended) leavings.delete(sessionId);
        });
      leavings.set(sessionId, ended);
    },
    async end(sessionId: string) {
      for (let end = leavings.get(sessionId); end !== undefined; end = leavings.get(sessionId)) await end;
    },
    async endAll() {
      while (leavings.size > 0) await Promise.all(leavings.values());
    },
  };
}

async function openSession({ isEntitled, ownership, settle }: RegistryDeps, session: SessionKey): Promise<boolean> {
  if (!isEntitled()) return false;
  const claim = await ownership.claim(session);
  if (claim?.isTakenOver) {
    await settle(session, claim);
    ownership.markSettled(session);
  }
  return claim !== undefined;
}

export function createSessionRegistry(deps: RegistryDeps): SessionRegistry {
  const entries = new Map<string, Entry>();
  const leavings = createLeavings(deps.onError);

  const forget = (entry: Entry) => {
    if (entries.get(entry.session.sessionId) === entry) entries.delete(entry.session.sessionId);
  };
  const look = ({ sessionId }: SessionKey) => {
    const entry = entries.get(sessionId);
    if (!entry || entry.visits > 0 || deps.isBusy(sessionId)) return;
    entries.delete(sessionId);
    leavings.add(sessionId, () => deps.ownership.release(entry.session));
  };

  return {
    async visit(session) {
      const { sessionId } = session;
      await leavings.end(sessionId);
      const entry = entries.get(sessionId) ?? { session, visits: 0, opening: openSession(deps, session) };
      entries.set(sessionId, entry);
      entry.visits += 1;
      const isOpen = await entry.opening.catch((error) => {
        forget(entry);
        throw error;
      });
      if (!isOpen) {
        forget(entry);
        return undefined;
      }
      return {
        [Symbol.dispose]() {
          entry.visits -= 1;
          look(session);
        },
      };
    },
    look,
    async leave(session) {
      const { sessionId } = session;
      entries.delete(sessionId);
      leavings.add(sessionId, async () => {
        await deps.rest(session);
        await deps.ownership.handOver(session);
      });
      await leavings.end(sessionId);
    },
    drop(session) {
      entries.delete(session.sessionId);
      leavings.add(session.sessionId, () => deps.stopAll(session));
    },
    settled: leavings.endAll,
  };
}
