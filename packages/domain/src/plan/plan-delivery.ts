import type { DeliveryPlan, Failure, PlanItem, ProjectionPlan } from '@attache/contracts';
import { passDecode } from './form/pass-decode.ts';
import { planForms } from './form/plan-forms.ts';
import { leaveOutQuarantined } from './leave-out-quarantined.ts';
import type { Block, BlockedDraft, Draft, PlannableAttachment, PlanRequestInput } from './plan-types.ts';
import { measureBudget } from './room/measure-budget.ts';
import { measureFrame, measureRoom } from './room/room.ts';
import { tellHeld } from './room/tell-held.ts';

export type { PlannableAttachment, PlanRequestInput } from './plan-types.ts';

/**
 * What each attachment of a message becomes for one target, or why it is blocked (DL-01). The gates come in the order decode,
 * budget, transport, model, prepare, and every one that blocks is a failure (DL-63): of what did not pass inspection that one alone,
 * else all of the way that is nearest to open. A check that is `unknown` was not reached or is not known. Any blocker blocks the
 * whole message. Sizes are upper bounds, so a plan that is delivered always holds. Total and deterministic.
 */
export function planDelivery<I extends PlanRequestInput>(input: I): PlanFor<I> {
  const attachments = distinct(input.attachments);
  const frameBytes = measureFrame(input.text, attachments);
  const known = attachments.map((attachment) => leaveOutQuarantined(passDecode(attachment), input.quarantined));
  const drafts = planForms(known, measureRoom(input, frameBytes), input);
  const blocked = drafts.flatMap((draft) =>
    draft.state === 'blocked' ? draft.blocks.map((block) => failureOf(draft, block, input)) : [],
  );
  const isHolding = blocked.length > 0 && Object.values(input.resident).some((held) => held > 0);
  const failures = isHolding ? tellHeld(blocked, planDelivery({ ...input, resident: {} })) : blocked;
  const { catalogVersion } = input.capability;
  const plan: ProjectionPlan = {
    ...(input.agentId === undefined ? {} : { agentId: input.agentId }),
    decision: failures.length === 0 ? 'deliver' : 'blocked',
    items: drafts.map(itemOf),
    failures,
    budget: measureBudget(input, frameBytes, drafts),
    ...(catalogVersion === undefined ? {} : { catalogVersion }),
  };
  return plan as PlanFor<I>;
}

/** A plan for an agent names it. */
type PlanFor<I extends PlanRequestInput> = I extends { agentId: NonNullable<PlanRequestInput['agentId']> }
  ? DeliveryPlan
  : ProjectionPlan;

function distinct(attachments: readonly PlannableAttachment[]): PlannableAttachment[] {
  const seen = new Set<string>();
  return attachments.filter(({ id }) => !seen.has(id) && seen.add(id));
}

function itemOf(draft: Draft): PlanItem {
  const { attachment, checks, warnings } = draft;
  const item = { attachmentId: attachment.id, checks, warnings };
  switch (draft.state) {
    case 'planned':
      return {
        ...item,
        becomes: draft.becomes,
        ...(draft.recipe === undefined ? {} : { recipe: draft.recipe }),
        reason: draft.reason,
      };
    case 'blocked':
      return { ...item, becomes: 'blocked', reason: draft.blocks.map(({ userMessage }) => userMessage).join(' ') };
    default:
      throw new Error(`an attachment was left ${draft.state}`);
  }
}

function failureOf({ attachment, checks }: BlockedDraft, block: Block, { agentId, target }: PlanRequestInput): Failure {
  const { gate, code, userMessage, retryable = false, safeDetails } = block;
  return {
    code,
    severity: 'error',
    attachmentId: attachment.id,
    ...(agentId === undefined ? {} : { agentId }),
    provider: target.provider,
    model: target.model,
    userMessage,
    diagnostic: `${gate}=${checks[gate]} kind=${attachment.kind} mimeType=${attachment.mimeType} sizeBytes=${attachment.sizeBytes} runtime=${target.runtime}`,
    retryable,
    safeDetails: { gate, ...safeDetails },
  };
}
