import { type Delivery, Fault } from '@attache/contracts';
import {
  addToOutbox,
  appendAsCaller,
  deliveryEventData,
  describeDelivery,
  findDelivery,
  findSession,
  holdTargetVersion,
  moveDelivery,
  nextAttemptOf,
  sessionEnded,
} from '@attache/database';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { deliveryNotFound } from '../not-found.ts';
import type { Keep } from '../once/run-once.ts';

const notRetryable = (why: string): Fault => new Fault('NOT_RETRYABLE', `The delivery cannot be tried again: ${why}.`);

/** Tries a failed delivery again, unedited and with the same frozen plan (DL-42). */
export async function retryDelivery(
  deps: IngestDeps,
  caller: Caller,
  deliveryId: string,
  keep: Keep,
): Promise<Delivery> {
  const { tenantId, actor } = caller;
  return deps.db.asTenant(tenantId, async (tx) => {
    const row = await findDelivery(tx, deliveryId);
    if (!row) throw deliveryNotFound();
    if ((await findSession(tx, row.sessionId))?.status !== 'active') throw sessionEnded();
    if (row.status !== 'failed') throw notRetryable(`it is ${row.status}`);
    if (!row.failure?.retryable)
      throw notRetryable(`it failed with ${row.failure?.code}, which trying again does not mend`);
    const set = nextAttemptOf(row);
    const isMoved = await moveDelivery(tx, row, { to: 'queued', service: 'ingest', actor, set });
    if (!isMoved) throw notRetryable('it is being tried again already');
    // Its plan is frozen, for the target that the agent had.
    const version = await holdTargetVersion(tx, row.agentId);
    if (version !== row.targetVersion)
      throw notRetryable('its agent has another target by now; send the message again');
    await addToOutbox(tx, 'delivery.queued', { tenantId, sessionId: row.sessionId, deliveryId });
    const queued = { ...row, ...set, status: 'queued' } as const;
    const delivery = await describeDelivery(tx, queued);
    await keep.inTransaction(tx, { delivery });
    await appendAsCaller(tx, row.sessionId, [{ kind: 'delivery.queued', actor, data: deliveryEventData(queued) }]);
    return delivery;
  });
}
