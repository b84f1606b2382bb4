import { type Failure, type Part, type PlanItem, type ProjectionPlan, uuidFromId } from '@attache/contracts';
import type { StoredAttachment } from '@attache/database';
import { composePart, listRecipes, referToBytes } from '@attache/domain';
import { makeVariants, type VariantDeps } from './variants/make-variants.ts';
import { whileAttached } from './while-attached.ts';

/** One part for each item of the plan, in its order. */
export type BuiltParts = { status: 'built'; parts: Part[] } | { status: 'failed'; failure: Failure };

type Draft = { tenantId: string; plan: ProjectionPlan; attachments: readonly StoredAttachment[] };

function missing(item: PlanItem): Failure {
  return {
    code: 'attachment_missing',
    severity: 'error',
    attachmentId: item.attachmentId,
    userMessage: 'A file of this message was deleted before it was delivered. Send the message again without it.',
    diagnostic: 'the attachment is deleted',
    retryable: false,
  };
}

/** Executes a frozen plan into parts: data that refers to bytes, never bytes. The form never changes here. */
export async function buildParts(deps: VariantDeps, { tenantId, plan, attachments }: Draft): Promise<BuiltParts> {
  const byId = new Map(attachments.map((stored) => [stored.id, stored]));
  const parts: Part[] = [];
  for (const item of plan.items) {
    const stored = byId.get(uuidFromId(item.attachmentId));
    if (!stored) return { status: 'failed', failure: missing(item) };
    const { attachment } = stored;
    const recipes = listRecipes(item);
    const place = { tenantId, attachmentId: stored.id };
    const work = await whileAttached(deps, place, (watched) => makeVariants(watched, { tenantId, stored }, recipes));
    if (work.status === 'gone') return { status: 'failed', failure: missing(item) };
    const made = work.result;
    if (made.status === 'failed') return made;
    const sources = recipes.length === 0 ? [attachment] : made.variants;
    const references = sources.map((source) => referToBytes(attachment.id, source));
    parts.push(composePart(item, attachment, references, made.gaps));
  }
  return { status: 'built', parts };
}
