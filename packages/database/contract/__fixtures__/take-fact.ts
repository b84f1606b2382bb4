import type { Failure } from '@attache/contracts';
import { type DeliveryFact, requireDecision } from '@attache/domain';
import type { Database } from '../../src/database.ts';
import type { DeliveryRow } from '../../src/delivery/delivery-reader.ts';
import { stateOf } from '../../src/delivery/delivery-state.ts';
import { applyDecision, type Conditions } from '../../src/delivery/delivery-writer.ts';

/** A failure that trying again may mend. */
export const plantedFailure: Failure = {
  ...{ code: 'delivery_stalled', severity: 'error', retryable: true },
  ...{ userMessage: 'The agent takes no more input. Try again.', diagnostic: 'no drain in 30 s' },
};

/** Moves a delivery as if this fact had happened to it, and notifies nobody. False: it was moved already. */
export function takeFact(
  db: Database,
  row: DeliveryRow,
  fact: DeliveryFact,
  conditions: Conditions = {},
): Promise<boolean> {
  const decision = requireDecision(stateOf(row), fact);
  return applyDecision(db, { ...decision, events: [], messages: [] }, conditions);
}
