import type { Failure, ProjectionPlan } from '@attache/contracts';

/**
 * Of failures for want of room, those that only what the agent already holds has caused: smaller or fewer files would not help.
 * `idle` is the plan for an agent that holds nothing.
 */
export function tellHeld(failures: readonly Failure[], idle: Pick<ProjectionPlan, 'items'>): Failure[] {
  // What something else blocks, too, may still have room there.
  const fitting = new Set(
    idle.items.flatMap(({ attachmentId, checks }) => (checks.budget === 'yes' ? [attachmentId] : [])),
  );
  return failures.map((failure) => {
    const { code, attachmentId } = failure;
    const isHeld = code === 'attachment_serialized_payload_too_large' && attachmentId && fitting.has(attachmentId);
    return isHeld ? { ...failure, userMessage } : failure;
  });
}

const userMessage =
  'What this agent already holds of its conversation leaves no room for the attachment, which alone would fit. Send it to another agent, or in a new session.';
