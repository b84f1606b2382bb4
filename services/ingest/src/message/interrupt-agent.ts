import { appendEvents, findAgent, findSession, lockDeliveriesOfAgent, type NewEvent } from '@attache/database';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { agentNotFound, sessionNotFound } from '../not-found.ts';
import { logCancelled, stopDelivery } from './cancel-delivery.ts';

/**
 * Asks the turn that an agent is in to end: a delivery that was taken for it and not written is cancelled, a written one is interrupted, and the
 * runtime says how that ended. What still waits for the agent continues. Nothing happens if there is no turn.
 */
export async function interruptAgent(
  deps: Pick<IngestDeps, 'db' | 'log'>,
  caller: Caller,
  sessionId: string,
  agentId: string,
): Promise<void> {
  let cancelledIds: string[] = [];
  await deps.db.asTenant(caller.tenantId, async (tx) => {
    cancelledIds = [];
    const events: NewEvent[] = [];
    if (!(await findSession(tx, sessionId))) throw sessionNotFound();
    if (!(await findAgent(tx, sessionId, agentId))) throw agentNotFound();
    for (const row of await lockDeliveriesOfAgent(tx, agentId, ['claimed', 'written'])) {
      const cancelled = await stopDelivery(tx, caller, row);
      if (cancelled.length > 0) cancelledIds.push(row.id);
      events.push(...cancelled);
    }
    // The session is locked by its append, after all deliveries.
    if (events.length > 0) await appendEvents(tx, sessionId, events);
  });
  for (const deliveryId of cancelledIds) logCancelled(deps, deliveryId);
}
