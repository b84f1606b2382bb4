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
};

type LeavingDeps = LeaveDeps & {
  log: Logger;
  /** Says to others that no session is taken any more. */
  announce(): void;
  /** Sessions that an earlier life left are taken before they can be left. */
  recovered: Promise<unknown>;
};

export function createLeaving({ log, announce, recovered, ...deps }: LeavingDeps): Leaving {
  let draining: Promise<void> | undefined;
  const moving = new Set<string>();
  const onError = (error: unknown) => log.warn({ err: error }, 'sessions.not_left');
  return {
    drain() {
      if (draining) return draining;
      announce();
      draining = recovered.then(() => leaveSessions(deps)).catch(onError);
      return draining;
    },
    isDraining: () => draining !== undefined,
    move(asked) {
      const fresh = asked.filter(({ sessionId }) => !moving.has(sessionId));
      for (const { sessionId } of fresh) moving.add(sessionId);
      const end = () => {
        for (const { sessionId } of fresh) moving.delete(sessionId);
      };
      void moveSessions(deps, fresh).catch(onError).finally(end);
    },
  };
}
