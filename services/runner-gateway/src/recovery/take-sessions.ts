import { untilAnswered } from '@attache/database';
import type { SessionKey, SessionOwnership } from '../ownership/session-ownership.ts';
import type { SessionRegistry } from '../ownership/session-registry.ts';

const CONCURRENCY = 8;

/** Visits sessions, so that each is taken if it may be, and the work that its last owner had begun is settled. A few at a time, until a stop. */
export async function takeSessions(
  sessions: Pick<SessionRegistry, 'visit'>,
  { isWaiting }: Pick<SessionOwnership, 'isWaiting'>,
  wanted: readonly SessionKey[],
): Promise<number> {
  const left = [...wanted];
  let count = 0;
  const takeRest = async () => {
    for (let session = left.pop(); session !== undefined && isWaiting(); session = left.pop()) {
      const taken: SessionKey = session;
      using visit = await untilAnswered(() => sessions.visit(taken), isWaiting);
      if (visit) count += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, takeRest));
  return count;
}
