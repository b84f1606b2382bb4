import { Fault, idFromUuid } from '@attache/contracts';
import { appendAudit, appendEvents, deleteAttachment as markDeleted } from '@attache/database';
import type { Caller } from './caller.ts';
import type { IngestDeps } from './ingest-deps.ts';

export const attachmentNotFound = (): Fault => new Fault('ATTACHMENT_NOT_FOUND', 'There is no such attachment.');

/** Deletes an attachment: from now on it is unknown everywhere, its URLs included. */
export async function deleteAttachment(deps: IngestDeps, caller: Caller, attachmentId: string): Promise<void> {
  const { tenantId, actor } = caller;
  const publicId = idFromUuid('attachment', attachmentId);
  await deps.db.asTenant(tenantId, async (tx) => {
    const gone = await markDeleted(tx, attachmentId);
    if (!gone) throw attachmentNotFound();
    await appendAudit(tx, { tenantId, actor, action: 'attachment.deleted', subjectId: publicId });
    await appendEvents(tx, gone.sessionId, [{ kind: 'attachment.deleted', actor, data: { attachmentId: publicId } }]);
  });
}
