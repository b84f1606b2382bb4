import { Fault, idFromUuid } from '@attache/contracts';
import {
  appendAudit,
  appendEvents,
  discardAttachment as markDiscarded,
  deleteAttachment as markDeleted,
  type Tx,
} from '@attache/database';
import { removeBytes } from '@attache/intake';
import type { Caller } from './caller.ts';
import type { IngestDeps } from './ingest-deps.ts';

export const attachmentNotFound = (): Fault => new Fault('ATTACHMENT_NOT_FOUND', 'There is no such attachment.');

/** Deletes an attachment: from now on it is unknown everywhere, its URLs included. */
export async function deleteAttachment(deps: IngestDeps, caller: Caller, attachmentId: string): Promise<void> {
  await deps.db.asTenant(caller.tenantId, (tx) => deleteIn(tx, caller, attachmentId, markDeleted));
}

/** Deletes an attachment that came with what was refused. Bytes that nothing else ever used go behind the answer. */
export async function discardAttachment(deps: IngestDeps, caller: Caller, attachmentId: string): Promise<void> {
  const { tenantId } = caller;
  const { blob } = await deps.db.asTenant(tenantId, (tx) => deleteIn(tx, caller, attachmentId, markDiscarded));
  if (blob) void removeBytes(deps, tenantId, blob);
}

async function deleteIn<T extends { sessionId: string }>(
  tx: Tx,
  { tenantId, actor }: Caller,
  attachmentId: string,
  mark: (tx: Tx, attachmentId: string) => Promise<T | undefined>,
): Promise<T> {
  const publicId = idFromUuid('attachment', attachmentId);
  const gone = await mark(tx, attachmentId);
  if (!gone) throw attachmentNotFound();
  await appendAudit(tx, { tenantId, actor, action: 'attachment.deleted', subjectId: publicId });
  await appendEvents(tx, gone.sessionId, [{ kind: 'attachment.deleted', actor, data: { attachmentId: publicId } }]);
  return gone;
}
