import {
  type ByteReference,
  type DeliveryPlan,
  type Failure,
  type Part,
  type PlanItem,
  uuidFromId,
  type Variant,
} from '@attache/contracts';
import type { StoredAttachment } from '@attache/database';
import { announceAttachments } from '@attache/domain';
import { makeVariant } from './make-variant.ts';
import type { ProjectorDeps } from './projector-deps.ts';

export type BuiltParts = { status: 'built'; parts: Part[] } | { status: 'failed'; failure: Failure };

type Draft = { tenantId: string; text: string; plan: DeliveryPlan; attachments: readonly StoredAttachment[] };

function referTo({ attachment }: StoredAttachment, variant: Variant | undefined): ByteReference {
  const { mimeType, sizeBytes, sha256 } = variant ?? attachment;
  return { attachmentId: attachment.id, ...(variant ? { variantId: variant.id } : {}), mimeType, sizeBytes, sha256 };
}

function toPart(item: PlanItem, stored: StoredAttachment, variant: Variant | undefined): Part {
  const bytes = referTo(stored, variant);
  switch (item.becomes) {
    case 'native':
    case 'variant':
      return { type: 'image', bytes };
    case 'text':
      return { type: 'text-file', bytes, name: stored.attachment.name };
    default:
      throw new Error(`a delivery cannot be built from an item that becomes ${item.becomes}`);
  }
}

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

/** Executes the frozen plan of a delivery into parts: data that refers to bytes, never bytes. The form never changes here. */
export async function buildParts(
  deps: ProjectorDeps,
  { tenantId, text, plan, attachments }: Draft,
): Promise<BuiltParts> {
  const byId = new Map(attachments.map((stored) => [stored.id, stored]));
  const named: StoredAttachment[] = [];
  const files: Part[] = [];
  for (const item of plan.items) {
    const stored = byId.get(uuidFromId(item.attachmentId));
    if (!stored) return { status: 'failed', failure: missing(item) };
    const made = item.recipe && (await makeVariant(deps, tenantId, stored, item.recipe));
    if (made?.status === 'failed') return made;
    named.push(stored);
    files.push(toPart(item, stored, made?.variant));
  }
  const announced = announceAttachments(
    text,
    named.map(({ attachment }) => attachment),
  );
  return { status: 'built', parts: [{ type: 'text', text: announced }, ...files] };
}
