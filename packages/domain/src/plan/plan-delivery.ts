import type { DeliveryPlan, Failure, PlanItem, ProjectionPlan } from '@attache/contracts';
import { planForms } from './form/plan-forms.ts';
import { passDecode } from './pass-decode.ts';
import type { Block, BlockedDraft, Draft, PlannableAttachment, PlanRequestInput } from './plan-types.ts';
import { measureBudget } from './room/measure-budget.ts';
import { measureFrame, measureRoom } from './room/room.ts';

export type { PlannableAttachment, PlanRequestInput } from './plan-types.ts';

/**
 * Plans the form of each attachment of a message for one target, or why it is blocked (DL-01). The gates come in the order decode, budget, transport, model,
 * prepare, and every gate that blocks is a failure (DL-63): only decode for a file that did not pass inspection, otherwise all gates on the way that is nearest
 * to open. A check that is `unknown` was not reached or is not known. Any blocker blocks the whole message. Sizes are upper bounds, so a plan that is delivered
 * always holds. Total and deterministic. The README of this package shows the steps with their files, in the order of the way.
 */
export function planDelivery<I extends PlanRequestInput>(input: I): PlanFor<I> {
  const attachments = distinct(input.attachments);
  const frameBytes = measureFrame(input.text, attachments);
  const inspected = attachments.map((attachment) => passDecode(attachment, input.quarantined));
  const drafts = planForms(inspected, measureRoom(input, frameBytes), input);
  const failures = listFailures(drafts, input);
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

/** One for each gate that blocks (DL-63). */
function listFailures(drafts: readonly Draft[], input: PlanRequestInput): Failure[] {
  const failures = drafts.flatMap((draft) =>
    draft.state === 'blocked' ? draft.blocks.map((block) => failureOf(draft, block, input)) : [],
  );
  const isHolding = Object.values(input.resident).some((held) => held > 0);
  return failures.length > 0 && isHolding ? markHeld(failures, input) : failures;
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

/**
 * Marks the failures for want of room that are caused only by the content that the agent already holds: smaller or fewer files would not help.
 */
function markHeld(failures: readonly Failure[], input: PlanRequestInput): Failure[] {
  const idle = planDelivery({ ...input, resident: {} });
  // An attachment that another gate blocks, too, may still have room there.
  const fitting = new Set(
    idle.items.flatMap(({ attachmentId, checks }) => (checks.budget === 'yes' ? [attachmentId] : [])),
  );
  return failures.map((failure) => {
    const { code, attachmentId } = failure;
    const isHeld = code === 'attachment_serialized_payload_too_large' && attachmentId && fitting.has(attachmentId);
    return isHeld ? { ...failure, userMessage: `${HELD} ${waysOn(input)}` } : failure;
  });
}

const HELD =
  'What this agent already holds of its conversation leaves no room for the attachment, which alone would fit.';

function waysOn({ setsAside }: PlanRequestInput): string {
  const elsewhere = 'to another agent, or in a new session.';
  if (setsAside) return `Send it ${elsewhere}`;
  return `No picture of it can be set aside, since its profile has no endpoint, and so no relay. Give the agent its target again, which rebuilds it from its history, or send it ${elsewhere}`;
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
