import { type BusMessage, idFromUuid } from '@attache/contracts';
import { type Inspection, readStoredAttachments, type StoredAttachment, settleInspection } from '@attache/database';
import { decideInspection, type InspectionFact } from '@attache/domain';
import type { InspectOutcome } from '@attache/media';
import { describeProcess, logAttachmentInspected, withSpan } from '@attache/telemetry';
import { makeVariants, type VariantDeps } from './make-variants.ts';
import type { ProjectorDeps } from './projector-deps.ts';
import { fetchOriginal, withWorkFile } from './work-files.ts';

const PREVIEW_EDGE_PIXELS = 320;

type Added = Extract<BusMessage, { subject: 'attachment.added' }>;

async function inspect(
  deps: Pick<ProjectorDeps, 'blobs' | 'media' | 'workFolder'>,
  tenantId: string,
  stored: StoredAttachment,
): Promise<Inspection> {
  const { attachment } = stored;
  const outcome = await withWorkFile(deps.workFolder, async (path): Promise<InspectOutcome> => {
    const { name, declaredMimeType, mimeType, kind, sizeBytes } = attachment;
    const failure = await fetchOriginal(deps.blobs, stored, path);
    if (failure) return { status: 'rejected', mimeType, kind, failure };
    return deps.media.inspect({ tenantId, path, name, declaredMimeType, sizeBytes });
  });
  if (outcome.status === 'ready') return outcome;
  return { ...outcome, failure: { ...outcome.failure, attachmentId: attachment.id } };
}

function factOf(inspection: Inspection): InspectionFact {
  return inspection.status === 'ready'
    ? { kind: 'found-ready', found: inspection }
    : { kind: 'found-faulty', failure: inspection.failure };
}

async function settle(
  { db }: Pick<ProjectorDeps, 'db'>,
  message: Added,
  stored: StoredAttachment,
  inspection: Inspection,
): Promise<boolean> {
  const decision = decideInspection(stored.attachment, factOf(inspection));
  if (!decision) return false;
  const isLost = inspection.status === 'rejected' && inspection.failure.code === 'attachment_missing';
  return settleInspection(db, {
    ...{ tenantId: message.data.tenantId, attachmentId: stored.id, sessionId: stored.sessionId },
    eventId: message.id,
    inspection,
    ...(isLost ? { lostKey: stored.blobKey } : {}),
    events: [decision.event],
  });
}

// For people only: nothing waits for it, and a file without one is as good.
async function makePreview(deps: VariantDeps & Pick<ProjectorDeps, 'log'>, message: Added): Promise<void> {
  const { tenantId, attachmentId } = message.data;
  const [stored] = await readStoredAttachments(deps.db, tenantId, [attachmentId]);
  if (stored?.attachment.status !== 'ready' || stored.attachment.kind !== 'image') return;
  const made = await makeVariants(deps, tenantId, stored, [{ purpose: 'preview', maxEdgePixels: PREVIEW_EDGE_PIXELS }]);
  if (made.status === 'failed')
    deps.log.info({ attachmentId: stored.attachment.id, code: made.failure.code }, 'preview.failed');
}

/** Inspects a new attachment in an isolated worker: `ready` with facts, or `rejected` with its failure. Returns whether it did, and so settled the message. */
export async function inspectAttachment(
  deps: VariantDeps & Pick<ProjectorDeps, 'log'>,
  message: Added,
): Promise<boolean> {
  const { tenantId, attachmentId } = message.data;
  const attributes = { 'att.id': idFromUuid('attachment', attachmentId), ...describeProcess(message, 'projector') };
  const links = [message.receivedIn];
  return withSpan(
    { name: 'process attachment.added', kind: 'consumer', parent: message.trace ?? 'root', links, attributes },
    async (span) => {
      const startedAt = performance.now();
      const [stored] = await readStoredAttachments(deps.db, tenantId, [attachmentId]);
      if (stored?.attachment.status !== 'pending') return false;
      const inspection = await withSpan({ name: 'attachment.inspect' }, () => inspect(deps, tenantId, stored));
      const isSettled = await settle(deps, message, stored, inspection);
      const code = inspection.status === 'rejected' ? inspection.failure.code : undefined;
      span.setAttributes({
        'att.kind': inspection.kind,
        'att.detected_type': inspection.mimeType,
        'att.status': inspection.status,
        ...(code ? { 'att.reject_code': code } : {}),
      });
      const { status, kind } = inspection;
      const durationMs = performance.now() - startedAt;
      logAttachmentInspected(deps.log, { attachmentId: stored.attachment.id, status, kind, code, durationMs });
      if (status === 'ready' && kind === 'image')
        await withSpan({ name: 'attachment.preview' }, () => makePreview(deps, message));
      return isSettled;
    },
  );
}
