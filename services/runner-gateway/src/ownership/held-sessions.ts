import type { Claim } from '@attache/database';

export type SessionKey = { tenantId: string; sessionId: string };

/** The sessions that a gateway believes it owns: the database knows better, and is asked at each write. */
export type HeldSessions = {
  find(sessionId: string): Claim | undefined;
  list(): SessionKey[];
  /** Records the result of a claim; undefined: another gateway has the session. */
  settleClaim(session: SessionKey, claim: Claim | undefined): void;
  markSettled(session: SessionKey): void;
  /** The session was let go. */
  forget(session: SessionKey): void;
  /** It was taken away, and its holder learns that. */
  lose(session: SessionKey): void;
  loseAll(): void;
  /** All are lost until they are claimed again. */
  fence(): void;
  fenced(): SessionKey[];
  isFenced(session: SessionKey): boolean;
};

export function createHeldSessions(onLost: (session: SessionKey) => void): HeldSessions {
  const held = new Map<string, SessionKey & Claim>();
  const fenced = new Map<string, SessionKey>();
  const keyOf = ({ tenantId, sessionId }: SessionKey): SessionKey => ({ tenantId, sessionId });
  const lose = (session: SessionKey) => {
    if (held.delete(session.sessionId)) onLost(keyOf(session));
  };
  return {
    find: (sessionId) => held.get(sessionId),
    list: () => [...held.values()].map(keyOf),
    settleClaim(session, claim) {
      fenced.delete(session.sessionId);
      if (claim !== undefined) held.set(session.sessionId, { ...session, ...claim });
    },
    markSettled({ sessionId }) {
      const present = held.get(sessionId);
      if (present) held.set(sessionId, { ...present, isTakenOver: false });
    },
    forget: ({ sessionId }) => void held.delete(sessionId),
    lose,
    loseAll() {
      for (const session of [...held.values()]) lose(session);
    },
    fence() {
      for (const session of [...held.values()]) {
        fenced.set(session.sessionId, keyOf(session));
        lose(session);
      }
    },
    fenced: () => [...fenced.values()],
    isFenced: ({ sessionId }) => fenced.has(sessionId),
  };
}
