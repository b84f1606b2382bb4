import { type Actor, type Delivery, Fault } from '@attache/contracts';
import {
  appendAsCaller,
  applyInTransaction,
  type DeliveryRow,
  describeDelivery,
  findDelivery,
  findSession,
  holdTargetVersion,
  sessionEnded,
  stateOf,
} from '@attache/database';
import { type Decision, decideDelivery } from '@attache/domain';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { deliveryNotFound } from '../not-found.ts';
import type { Keep } from '../once/run-once.ts';
import { queueAgain, readAtHand } from './queue-again.ts';

const notRetryable = (why: string): Fault => new Fault('NOT_RETRYABLE', `The delivery cannot be tried again: ${why}.`);

/** Tries a failed delivery again, unedited and with the same frozen plan (DL-42). */
export async function retryDelivery(
  { db }: Pick<IngestDeps, 'db'>,
  caller: Caller,
  deliveryId: string,
  keep: Keep,
): Promise<Delivery> {
  const { tenantId, actor } = caller;
  return db.asTenant(tenantId, async (tx) => {
    const row = await findDelivery(tx, deliveryId);
    if (!row) throw deliveryNotFound();
    if ((await findSession(tx, row.sessionId))?.status !== 'active') throw sessionEnded();
    const atHand = await readAtHand(tx, [row]);
    const decisions = queueAgain(decideRetry(row, actor), row.plan, atHand.get(row.id));
    if (!(await applyInTransaction(tx, ...decisions))) throw notRetryable('it is being tried again already');
    // Its plan is frozen, for the target that the agent had.
    const version = await holdTargetVersion(tx, row.agentId);
    if (version !== row.targetVersion)
      throw notRetryable('its agent has another target by now; send the message again');
    let moved: DeliveryRow = row;
    for (const { move } of decisions) moved = { ...moved, ...move.set, status: move.to };
    const delivery = await describeDelivery(tx, moved);
    await keep.inTransaction(tx, { delivery });
    await appendAsCaller(
      tx,
      row.sessionId,
      decisions.flatMap(({ events }) => events),
    );
    return delivery;
  });
}

function decideRetry(row: DeliveryRow, actor: Actor): Decision {
  const decision = decideDelivery(stateOf(row), { kind: 'retried', actor });
  if ('move' in decision) return decision;
  if (decision.refusal !== 'not-retryable') throw notRetryable(`it is ${row.status}`);
  throw notRetryable(`it failed with ${row.failure?.code}, which trying again does not mend`);
}
