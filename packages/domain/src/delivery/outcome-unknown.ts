import { type Failure, idFromUuid } from '@attache/contracts';
import type { DeliveryState } from './delivery-state.ts';

/** The failure of a delivery if nobody can say whether its agent took it. */
export function outcomeUnknown({ agentId }: DeliveryState): Failure {
  return {
    code: 'delivery_outcome_unknown',
    severity: 'error',
    agentId: idFromUuid('agent', agentId),
    userMessage:
      'The server stopped while this message was on its way to the agent, and nothing proves whether it arrived. Look at what the agent did, then retry it by hand if needed.',
    diagnostic: 'the owner was lost after the first byte',
    retryable: true,
  };
}
