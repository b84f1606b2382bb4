import { busDataSchemas, type ConsumerName, type Subject } from '@attache/contracts';
import { decideDelivery } from '@attache/domain';
import { eq, sql } from 'drizzle-orm';
import { takeRejectionBack } from '../attachment/attachment-writer.ts';
import { runOrRollBack } from '../connection/run-or-roll-back.ts';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';
import { stateOf } from '../delivery/delivery-state.ts';
import { applyInTransaction } from '../delivery/delivery-writer.ts';
import { delivery } from '../schema.ts';
import { holdTargetVersion } from '../session/agent-reader.ts';
import { appendAsCaller, type NewEvent } from '../session/append-events.ts';
import { findSession } from '../session/session-reader.ts';
import { type DeadLetterRow, findDeadLetter } from './dead-letter-reader.ts';

export type ReplayOutcome = 'replayed' | 'not-found' | 'already-replayed';

type LetterName = { tenantId: string; id: string; consumer: ConsumerName };

/**
 * Lets a dead letter wait in the outbox again. What its death failed or rejected, and nobody has changed since, is put back. The message is
 * handled unless its consumer did so before it died: the inbox knows. One that dies again can be replayed again.
 */
export async function replayDeadLetter(db: Database, name: LetterName): Promise<ReplayOutcome> {
  const letter = await findDeadLetter(db, name);
  if (!letter) return 'not-found';
  return runOrRollBack<ReplayOutcome>(db, name.tenantId, async (tx, rollBack) => {
    const { isPutBack, queued } = await putBack(tx, letter);
    const statement = sql`select attache_replay_letter(${JSON.stringify({ ...name, isPutBack })}::jsonb)`;
    const outcome = await runStatement<ReplayOutcome>(tx, statement);
    if (outcome !== 'replayed') return rollBack(outcome);
    tx.doorbells.add(`outbox:${letter.subject as Subject}`);
    if (queued) await appendAsCaller(tx, queued.sessionId, queued.events);
    return outcome;
  });
}

type Queued = { sessionId: string; events: readonly NewEvent[] };

type PutBack = {
  isPutBack: boolean;
  /** The event of a delivery that waits again: it is appended last, if its session is still active. */
  queued?: Queued | undefined;
};

async function putBack(tx: Tx, letter: DeadLetterRow): Promise<PutBack> {
  const parsed = busDataSchemas[letter.subject as Subject]?.safeParse(letter.data);
  if (!parsed?.success) return { isPutBack: false };
  const ids = parsed.data as { deliveryId?: string; attachmentId?: string };
  if (ids.attachmentId) return { isPutBack: await takeRejectionBack(tx, ids.attachmentId, letter.id) };
  const queued = ids.deliveryId === undefined ? undefined : await putDeliveryBack(tx, letter, ids.deliveryId);
  return { isPutBack: queued !== undefined, queued };
}

// Like a manual retry: unedited and with its frozen plan, for the target that it was made for.
async function putDeliveryBack(tx: Tx, letter: DeadLetterRow, deliveryId: string): Promise<Queued | undefined> {
  const [row] = await tx.select().from(delivery).where(eq(delivery.id, deliveryId)).for('update');
  if (!row) return undefined;
  const subject = letter.subject as Subject;
  const decision = decideDelivery(stateOf(row), { kind: 'replayed', letterId: letter.id, subject });
  if ('refusal' in decision) return undefined;
  if ((await findSession(tx, row.sessionId))?.status !== 'active') return undefined;
  if ((await holdTargetVersion(tx, row.agentId)) !== row.targetVersion) return undefined;
  return (await applyInTransaction(tx, decision)) ? { sessionId: row.sessionId, events: decision.events } : undefined;
}
