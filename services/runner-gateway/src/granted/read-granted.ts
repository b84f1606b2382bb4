import {
  type Actor,
  type Attachment,
  Fault,
  idFromUuid,
  isId,
  type ResourceView,
  uuidFromId,
  type VariantId,
} from '@attache/contracts';
import { appendEvents, findAttachment, findVariant, isGranted, readTenantUrlGeneration } from '@attache/database';
import { withSpan } from '@attache/telemetry';
import type { HandedBytes } from '../files/handed-out.ts';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SocketOwner } from './socket-owner.ts';

/** Bytes that an agent may read now. */
export type Granted = {
  attachment: Attachment;
  key: string;
  mimeType: string;
  sha256: string;
  sizeBytes: number;
  variantId: VariantId | undefined;
  generation: number;
  /** Public id of the user or agent that brought the attachment in. */
  uploadedBy: string | null;
};

/** The same, with the generation of all signed URLs of the tenant. */
export type Described = Granted & { tenantGeneration: number };

export const notFound = () => new Fault('ATTACHMENT_NOT_FOUND', 'There is no such attachment for this agent.');

/**
 * Every resolve is checked again: the grant, the owner's epoch, and that the attachment is still there. What is malformed, unknown,
 * deleted, another's or not granted is one and the same `ATTACHMENT_NOT_FOUND`.
 */
export async function readGranted(
  deps: Pick<OwningDeps, 'ownership'>,
  owner: SocketOwner,
  id: string,
  variantId?: string,
): Promise<Granted> {
  if (!isId('attachment', id) || (variantId !== undefined && !isId('variant', variantId))) throw notFound();
  return withSpan({ name: 'attachment.authorize', attributes: { 'att.id': id } }, () =>
    deps.ownership.asOwner(owner.session, async (tx) => {
      const stored = await findAttachment(tx, uuidFromId(id));
      if (!stored || stored.sessionId !== owner.session.sessionId || !(await isGranted(tx, owner.agentId, stored.id)))
        throw notFound();
      const { attachment, uploadedBy, urlGeneration: generation } = stored;
      const of = { attachment, uploadedBy, generation };
      if (variantId === undefined) return { ...attachment, ...of, key: stored.blobKey, variantId };
      const found = await findVariant(tx, uuidFromId(variantId));
      if (!found || found.sourceSha256 !== attachment.sha256) throw notFound();
      return { ...found.variant, ...of, key: found.blobKey, variantId };
    }),
  );
}

/** The same, for the bytes themselves: an agent gets none of a file that is still being inspected, or was refused. */
export async function readGrantedBytes(...named: Parameters<typeof readGranted>): Promise<Granted> {
  const granted = await readGranted(...named);
  if (granted.attachment.status !== 'ready') throw notFound();
  return granted;
}

/** Reads the facts from which a signed URL of an attachment is made. */
export async function describeGranted(
  deps: Pick<OwningDeps, 'db' | 'ownership'>,
  owner: SocketOwner,
  id: string,
): Promise<Described> {
  const granted = await readGranted(deps, owner, id);
  const tenantGeneration = await deps.db.readAsTenant(owner.session.tenantId, readTenantUrlGeneration);
  return { ...granted, tenantGeneration };
}

/** The part that an agent asked for, and the digest of its bytes if that was verified. */
export type Handing = { view?: ResourceView; bytes?: HandedBytes };

/** Records that an agent saw bytes of an attachment, and which part of it if it asked for one (SR-25). */
export async function logView(
  deps: Pick<OwningDeps, 'ownership'>,
  owner: SocketOwner,
  { attachment, variantId }: Pick<Granted, 'attachment' | 'variantId'>,
  { view, bytes }: Handing = {},
): Promise<void> {
  const agentId = idFromUuid('agent', owner.agentId);
  const data = {
    agentId,
    attachmentId: attachment.id,
    ...(variantId === undefined ? {} : { variantId }),
    ...(view === undefined ? {} : { view }),
  };
  const actor: Actor = { type: 'agent', id: agentId };
  await deps.ownership.asOwner(owner.session, (tx) =>
    appendEvents(tx, owner.session.sessionId, [{ kind: 'resource.viewed', actor, data }]),
  );
  if (bytes) owner.noteHandedOut?.(attachment, bytes);
}
