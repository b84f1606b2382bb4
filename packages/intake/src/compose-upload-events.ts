import { type Attachment, idFromUuid } from '@attache/contracts';
import type { NewEvent } from '@attache/database';
import { decideInspection } from '@attache/domain';
import type { ReceivedFile } from './incoming-file.ts';

/** The events of the session log for a received file, in this order: it exists, who may read it, and, if it is, that it is ready. */
export function composeUploadEvents(
  file: ReceivedFile,
  attachment: Attachment,
  grantId: string | undefined,
): NewEvent[] {
  const { id: attachmentId, kind, mimeType, sizeBytes, sha256, origin, source } = attachment;
  const added: NewEvent = {
    kind: 'attachment.added',
    actor: file.actor,
    data: { attachmentId, kind, mimeType, sizeBytes, sha256, origin, ...(source === undefined ? {} : { source }) },
  };
  return [added, ...composeGranted(file, attachmentId, grantId), ...composeReady(file, attachment)];
}

function composeGranted(file: ReceivedFile, attachmentId: Attachment['id'], grantId: string | undefined): NewEvent[] {
  if (file.agentId === undefined || grantId === undefined) return [];
  const agentId = idFromUuid('agent', file.agentId);
  const data = { grantId: idFromUuid('grant', grantId), attachmentId, agentId };
  return [{ kind: 'grant.created', actor: file.actor, data }];
}

function composeReady(file: ReceivedFile, { id, status, ...found }: Attachment): NewEvent[] {
  if (status !== 'ready') return [];
  // Files that agents create come in through the gateway.
  const by = file.agentId === undefined ? 'ingest' : 'runner-gateway';
  const decision = decideInspection({ id, status: 'pending' }, { kind: 'found-in-passing', found, by });
  if (!decision) throw new Error(`${by} may not say that a file is ready`);
  return [decision.event];
}
