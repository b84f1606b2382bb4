import type { AgentId, DeliveryPlan, Failure, Target } from '@attache/contracts';
import type { PlannableAttachment } from './plan-delivery.ts';

const untouched = {
  decode: 'unknown',
  budget: 'unknown',
  transport: 'no',
  model: 'unknown',
  prepare: 'unknown',
} as const;

/** The plan for an agent whose profile is no longer offered: nothing reaches it, not even text. */
export function refuseTarget(
  agentId: AgentId,
  target: Target,
  attachments: readonly Pick<PlannableAttachment, 'id'>[],
): DeliveryPlan {
  const failure: Failure = {
    code: 'delivery_target_unknown',
    severity: 'error',
    agentId,
    provider: target.provider,
    model: target.model,
    userMessage: `The profile ${target.profile} is no longer offered here. Give the agent another target, or have the operator offer it again.`,
    diagnostic: `profile ${target.profile}, runtime ${target.runtime}`,
    retryable: false,
  };
  const items = attachments.map(({ id }) => {
    return {
      attachmentId: id,
      becomes: 'blocked' as const,
      checks: untouched,
      reason: failure.userMessage,
      warnings: [],
    };
  });
  return { agentId, decision: 'blocked', items, failures: [failure], budget: {} };
}
