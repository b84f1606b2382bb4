import { idFromUuid } from '@attache/contracts';
import {
  appendAudit,
  appendEvents,
  deleteAttachment as markDeleted,
  discardAttachments as markDiscarded,
  type Tx,
} from '@attache/database';
import { removeBytes } from '@attache/intake';
import type { Caller } from '../../caller/caller.ts';
import type { IngestDeps } from '../../ingest-deps.ts';
import { attachmentNotFound } from '../../not-found.ts';

export type DiscardDeps = Pick<IngestDeps, 'db' | 'blobs'>;

/** Deletes an attachment: from now on it is unknown everywhere, its URLs included. */
export async function deleteAttachment(
  { db }: Pick<IngestDeps, 'db'>,
  caller: Caller,
  attachmentId: string,
): Promise<void> {
  await db.asTenant(caller.tenantId, async (tx) => {
    const gone = await markDeleted(tx, attachmentId);
    if (!gone) throw attachmentNotFound();
    await tell(tx, caller, gone);
  });
}

/** Deletes attachments that came with a refused message. Bytes that nothing else ever used are deleted after the answer. */
export async function discardAttachments(deps: DiscardDeps, caller: Caller, ids: readonly string[]): Promise<void> {
  const { tenantId } = caller;
  const unused = await deps.db.asTenant(tenantId, async (tx) => {
    const { attachments, blobs } = await markDiscarded(tx, ids);
    for (const gone of attachments) await tell(tx, caller, gone);
    return blobs;
  });
  for (const blob of unused) void removeBytes(deps, tenantId, blob);
}

async function tell(tx: Tx, { tenantId, actor }: Caller, gone: { id: string; sessionId: string }): Promise<void> {
  const attachmentId = idFromUuid('attachment', gone.id);
  await appendAudit(tx, { tenantId, actor, action: 'attachment.deleted', subjectId: attachmentId });
  await appendEvents(tx, gone.sessionId, [{ kind: 'attachment.deleted', actor, data: { attachmentId } }]);
}
