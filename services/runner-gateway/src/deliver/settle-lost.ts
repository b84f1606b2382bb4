import { idFromUuid } from '@attache/contracts';
import { type DeliveryRow, stateOf } from '@attache/database';
import { decideDelivery } from '@attache/domain';
import { withSpan } from '@attache/telemetry';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { applyAsOwner, logEnd, type RecordDeps, readPresent } from './record-delivery.ts';

/**
 * Why a delivery cannot continue, and with it what is known. `owner-gone`: its gateway will record nothing more, and the row has what it recorded last.
 * `unforwarded`: its turn failed, and no request of it went to a model. `database-away`: the database was away while this gateway worked on it, so that the
 * row may be out of date, and a model may have seen it.
 */
export type Loss = 'owner-gone' | 'unforwarded' | 'database-away';

/**
 * The outcome for a delivery. `given-back`: it was never written. `given-back-unforwarded`: its agent's program may have read it, no model has. `failed`: nobody
 * knows what came of it. `left`: it has ended, or someone else moved it first.
 */
export type LostOutcome = 'given-back' | 'given-back-unforwarded' | 'failed' | 'left';

/** Settles a delivery that cannot continue because its owner is lost: it is given back if no model can have seen it, and fails otherwise (DL-61). */
export async function settleLost(
  deps: RecordDeps,
  session: SessionKey,
  row: DeliveryRow,
  loss: Loss,
): Promise<LostOutcome> {
  switch (loss) {
    case 'owner-gone':
      return inTraceOfMessage(deps, session, row, () =>
        // Watched, and nothing recorded since: no request of it has left.
        recordLoss(deps, session, row, { isUnseen: row.forwarding === 'watched' }),
      );
    case 'unforwarded':
      return recordLoss(deps, session, row, { isUnseen: true });
    case 'database-away': {
      const present = await readPresent(deps, session, row);
      return present ? recordLoss(deps, session, present, { isUnseen: false }) : 'left';
    }
    default:
      return loss satisfies never;
  }
}

async function recordLoss(
  deps: RecordDeps,
  session: SessionKey,
  row: DeliveryRow,
  { isUnseen }: { isUnseen: boolean },
): Promise<LostOutcome> {
  const decision = decideDelivery(stateOf(row), { kind: 'owner-lost', isUnseen });
  if ('refusal' in decision || !(await applyAsOwner(deps, session, decision))) return 'left';
  const { to, code, isOnlyUnforwarded } = decision.move;
  if (to !== 'failed') return isOnlyUnforwarded ? 'given-back-unforwarded' : 'given-back';
  logEnd(deps, row, 'failed', code);
  return 'failed';
}

/** In the trace of the message, as what the lost owner did. */
function inTraceOfMessage(
  { ownership }: RecordDeps,
  session: SessionKey,
  row: DeliveryRow,
  settle: () => Promise<LostOutcome>,
): Promise<LostOutcome> {
  const attributes = {
    'delivery.id': idFromUuid('delivery', row.id),
    'gateway.id': ownership.identity.replicaId,
    'session.epoch': ownership.fenceOf(session).epoch,
    'session.lost.epoch': row.epoch ?? 0,
  };
  return withSpan({ name: 'delivery.owner_lost', parent: row.trace ?? 'root', attributes }, settle);
}
