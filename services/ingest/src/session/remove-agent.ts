import { addToOutbox, findSession, removeAgent as markRemoved } from '@attache/database';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { agentNotFound, sessionNotFound } from '../not-found.ts';

/** Takes an agent out of its session; the gateway stops its subprocess and logs that it did. */
export async function removeAgent(
  deps: Pick<IngestDeps, 'db'>,
  caller: Caller,
  sessionId: string,
  agentId: string,
): Promise<void> {
  const { tenantId } = caller;
  await deps.db.asTenant(tenantId, async (tx) => {
    if (!(await findSession(tx, sessionId))) throw sessionNotFound();
    if (!(await markRemoved(tx, sessionId, agentId))) throw agentNotFound();
    await addToOutbox(tx, 'agent.removed', { tenantId, sessionId, agentId });
  });
}
