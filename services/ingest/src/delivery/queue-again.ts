import { type DeliveryDraft, readDrafts, type Tx } from '@attache/database';
import { composeWholeAtHand, type Decision, needsMaking, prepareAtOnce } from '@attache/domain';

type Planned = Pick<DeliveryDraft['row'], 'id' | 'plan'>;

/** Drafts of the deliveries that need no variant to be made, by their ids. */
export async function readAtHand(tx: Tx, planned: readonly Planned[]): Promise<ReadonlyMap<string, DeliveryDraft>> {
  const atHand = planned.filter(({ plan }) => plan.decision === 'deliver' && !needsMaking(plan));
  const drafts = await readDrafts(
    tx,
    atHand.map(({ id }) => id),
  );
  return new Map(drafts.map((draft) => [draft.row.id, draft]));
}

/** The decisions for a delivery that is queued again under this plan: if its parts are at hand, the same step prepares it. */
export function queueAgain(
  queued: Decision,
  plan: Planned['plan'],
  draft: DeliveryDraft | undefined,
): readonly Decision[] {
  // An erased text ends it, which is for the projector to say.
  if (queued.move.to !== 'queued' || !draft || draft.text === null) return [queued];
  const attachments = draft.attachments.map(({ attachment }) => attachment);
  const parts = composeWholeAtHand(draft.text, plan, attachments);
  return parts ? prepareAtOnce(queued, parts) : [queued];
}
