import { findAgent, findSession, readDeliveriesOfAgent } from '@attache/database';
import type { Caller } from './caller.ts';
import { logCancelled, stopDelivery } from './cancel-delivery.ts';
import { sessionNotFound } from './create-session.ts';
import type { IngestDeps } from './ingest-deps.ts';
import { agentNotFound } from './remove-agent.ts';

/**
 * Asks the turn that an agent is in to end: what was taken for it and not written is cancelled, what was written is interrupted, and the
 * runtime says how that ended. What still waits for the agent goes on. Nothing happens where there is no turn.
 */
export async function interruptAgent(
  deps: IngestDeps,
  caller: Caller,
  sessionId: string,
  agentId: string,
): Promise<void> {
  const cancelledIds: string[] = [];
  await deps.db.asTenant(caller.tenantId, async (tx) => {
    if (!(await findSession(tx, sessionId))) throw sessionNotFound();
    if (!(await findAgent(tx, sessionId, agentId))) throw agentNotFound();
    for (const row of await readDeliveriesOfAgent(tx, agentId, ['claimed', 'written'])) {
      if (await stopDelivery(tx, caller, row)) cancelledIds.push(row.id);
    }
  });
  for (const deliveryId of cancelledIds) logCancelled(deps, deliveryId);
}
