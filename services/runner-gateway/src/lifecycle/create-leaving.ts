import { askToMove, type Database } from '@attache/database';
import type { Logger } from '@attache/telemetry';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { type LeaveDeps, leaveSessions, moveSessions } from './leave-sessions.ts';

/** How this gateway lets go of what it owns. */
export type Leaving = {
  /** Resolves when no session is left. */
  drain(): Promise<void>;
  isDraining(): boolean;
  /** Lets go of these sessions alone. */
  move(asked: readonly SessionKey[]): void;
  /** Lets go of one of them for the gateway of this name, which alone may take it at first. False: it stays. */
  send(session: SessionKey, replicaId: string): Promise<boolean>;
};

type LeavingDeps = LeaveDeps & {
  db: Database;
  log: Logger;
  /** Says to others that no session is taken any more. */
  announce(): void;
  /** Sessions that an earlier life left are taken before they can be left. */
  recovered: Promise<unknown>;
};

export function createLeaving({ db, log, announce, recovered, ...deps }: LeavingDeps): Leaving {
  let draining: Promise<void> | undefined;
  const moving = new Set<string>();
  const onError = (error: unknown) => log.warn({ err: error }, 'sessions.not_left');
  const move = (asked: readonly SessionKey[]) => {
    const fresh = asked.filter(({ sessionId }) => !moving.has(sessionId));
    for (const { sessionId } of fresh) moving.add(sessionId);
    const end = () => {
      for (const { sessionId } of fresh) moving.delete(sessionId);
    };
    void moveSessions(deps, fresh).catch(onError).finally(end);
  };
  return {
    drain() {
      if (draining) return draining;
      announce();
      draining = recovered.then(() => leaveSessions(deps)).catch(onError);
      return draining;
    },
    isDraining: () => draining !== undefined,
    move,
    async send(session, replicaId) {
      if (moving.has(session.sessionId)) return true;
      try {
        const isAsked = await askToMove(db, session, replicaId);
        if (isAsked) move([session]);
        return isAsked;
      } catch (error) {
        onError(error);
        return false;
      }
    },
  };
}
