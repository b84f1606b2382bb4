import { type Database, readOrphanedSessions } from '@attache/database';
import { type Doorbells, OWNERS_DOORBELL } from '@attache/event-bus';
import { type Logger, logSessionsRecovered } from '@attache/telemetry';
import type { SessionOwnership } from '../ownership/session-ownership.ts';
import type { SessionRegistry } from '../ownership/session-registry.ts';
import { takeSessions } from './take-sessions.ts';

/** One look costs a gateway one statement, however many sessions there are. */
const PERIOD_MS = 1_000;
const PAGE = 200;
/** Looks in a row that a full gateway leaves to others. */
const MAX_LEFT_OUT = 2;

type WatchDeps = {
  db: Database;
  log: Logger;
  doorbells: Pick<Doorbells, 'listen'>;
  ownership: Pick<SessionOwnership, 'identity' | 'isWaiting' | 'fenced'>;
  sessions: Pick<SessionRegistry, 'visit'>;
  /** Whether this gateway may take sessions. */
  isEntitled(): boolean;
  onlyTenant: string | undefined;
  /** False: no other gateway leaves any. */
  isShared: boolean;
  /** Whether another gateway has the room that this one lacks: then that one has the first look. */
  isLastChoice(): boolean;
};

/** Takes over sessions whose owners are gone: looks every second, and at once when a gateway says that it left some. */
export function watchOrphans(deps: WatchDeps): { stop(): Promise<void> } {
  const { db, log, doorbells, ownership, sessions, isEntitled, onlyTenant, isShared, isLastChoice } = deps;
  let taking: Promise<void> | undefined;
  let isRung = false;
  let leftOut = 0;
  const look = async () => {
    do {
      isRung = false;
      const orphans = await readOrphanedSessions(db, { ...ownership.identity, onlyTenant, limit: PAGE });
      // Sessions that this gateway itself gave up are not taken by others while its lease runs.
      const found = [...ownership.fenced(), ...orphans];
      if (found.length === 0) continue;
      // Gateways that look at the same moment do not all begin with the same one.
      logSessionsRecovered(log, { sessions: await takeSessions(sessions, ownership, shuffle(found)) });
    } while (isRung && isEntitled());
  };
  const wake = () => {
    if (taking) isRung = true;
    if (!isEntitled()) return;
    leftOut = isLastChoice() && leftOut < MAX_LEFT_OUT ? leftOut + 1 : 0;
    if (leftOut > 0) return;
    taking ??= look()
      .catch((error) => log.warn({ err: error }, 'orphans.not_looked_for'))
      .finally(() => {
        taking = undefined;
      });
  };
  const timer = isShared ? setInterval(wake, PERIOD_MS) : undefined;
  const unlisten = doorbells.listen(OWNERS_DOORBELL, wake);
  return {
    async stop() {
      clearInterval(timer);
      unlisten();
      await taking;
    },
  };
}

function shuffle<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
