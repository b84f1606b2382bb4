import { addToOutbox, appendEvents, findSession, endSession as markEnded } from '@attache/database';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { sessionNotFound } from '../not-found.ts';

/** Ends a session: its agents stop and their files are removed. Ending it twice is the same as once. */
export async function endSession(deps: Pick<IngestDeps, 'db'>, caller: Caller, sessionId: string): Promise<void> {
  const { tenantId, actor } = caller;
  await deps.db.asTenant(tenantId, async (tx) => {
    if (!(await findSession(tx, sessionId))) throw sessionNotFound();
    if (!(await markEnded(tx, sessionId))) return;
    await addToOutbox(tx, 'session.ended', { tenantId, sessionId });
    await appendEvents(tx, sessionId, [{ kind: 'session.ended', actor, data: {} }]);
  });
}
