import type { Part } from '@attache/contracts';
import { requireDecision } from './decide-delivery.ts';
import type { Decision } from './delivery-decision.ts';

/** Prepares a queued delivery in the same step if its parts are already available: no message asks the projector for parts. */
export function prepareAtOnce(queued: Decision, parts: Part[]): readonly Decision[] {
  const { from, to, set } = queued.move;
  if (to !== 'queued') throw new Error(`a delivery that becomes ${to} does not wait for parts`);
  const { tenantId, sessionId, deliveryId, messageId, agentId } = from;
  const attempt = set.attempts ?? from.attempt;
  const state = { tenantId, sessionId, deliveryId, messageId, agentId, attempt, status: to } as const;
  return [{ ...queued, messages: [] }, requireDecision(state, { kind: 'parts-at-hand', parts })];
}
