import { type BusMessage, idFromUuid } from '@attache/contracts';
import { type Inspection, readStoredAttachments, type StoredAttachment, settleInspection } from '@attache/database';
import { decideInspection, type InspectionFact } from '@attache/domain';
import { describeProcess, logAttachmentInspected, withSpan } from '@attache/telemetry';
import { makeVariants, type Original, type VariantDeps } from './make-variants.ts';
import type { ProjectorDeps } from './projector-deps.ts';
import { fetchOriginal, withWorkFile } from './work-files.ts';

const PREVIEW_EDGE_PIXELS = 320;

type Added = Extract<BusMessage, { subject: 'attachment.added' }>;

/** Inspects a pending attachment, whose bytes are then at `path`. */
async function inspect(
  deps: Pick<ProjectorDeps, 'blobs' | 'media'>,
  tenantId: string,
  stored: StoredAttachment,
  path: string,
): Promise<Inspection> {
  const { id: attachmentId, name, declaredMimeType, mimeType, kind, sizeBytes } = stored.attachment;
  const failure = await fetchOriginal(deps.blobs, stored, path);
  if (failure) return { status: 'rejected', mimeType, kind, failure };
  const outcome = await deps.media.inspect({ tenantId, path, name, declaredMimeType, sizeBytes });
  if (outcome.status === 'ready') return outcome;
  return { ...outcome, failure: { ...outcome.failure, attachmentId } };
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
async function makePreview(deps: VariantDeps & Pick<ProjectorDeps, 'log'>, original: Original): Promise<void> {
  const made = await makeVariants(deps, original, [{ purpose: 'preview', maxEdgePixels: PREVIEW_EDGE_PIXELS }]);
  if (made.status === 'failed')
    deps.log.info({ attachmentId: original.stored.attachment.id, code: made.failure.code }, 'preview.failed');
}

const codeOf = (inspection: Inspection) => (inspection.status === 'rejected' ? inspection.failure.code : undefined);

function describeInspection(inspection: Inspection) {
  const { status, kind, mimeType } = inspection;
  const code = codeOf(inspection);
  return {
    ...{ 'att.kind': kind, 'att.detected_type': mimeType, 'att.status': status },
    ...(code ? { 'att.reject_code': code } : {}),
  };
}

/** Settles what is found of an attachment, with its bytes at `path`, and then makes the preview of a picture. Returns whether it settled the message. */
async function inspectAt(
  deps: VariantDeps & Pick<ProjectorDeps, 'log'>,
  { message, stored, path }: { message: Added; stored: StoredAttachment; path: string },
  onInspected: (inspection: Inspection) => void,
): Promise<boolean> {
  const { tenantId } = message.data;
  const startedAt = performance.now();
  const inspection = await withSpan({ name: 'attachment.inspect' }, () => inspect(deps, tenantId, stored, path));
  const isSettled = await settle(deps, message, stored, inspection);
  onInspected(inspection);
  const { status, kind, mimeType } = inspection;
  const code = codeOf(inspection);
  const durationMs = performance.now() - startedAt;
  logAttachmentInspected(deps.log, { attachmentId: stored.attachment.id, status, kind, code, durationMs });
  if (!isSettled || status === 'rejected' || kind !== 'image') return isSettled;
  const { facts } = inspection;
  const inspected = { ...stored, attachment: { ...stored.attachment, status, kind, mimeType, facts } };
  await withSpan({ name: 'attachment.preview' }, () => makePreview(deps, { tenantId, stored: inspected, path }));
  return isSettled;
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
      const [stored] = await readStoredAttachments(deps.db, tenantId, [attachmentId]);
      if (stored?.attachment.status !== 'pending') return false;
      return withWorkFile(deps.workFolder, (path) =>
        inspectAt(deps, { message, stored, path }, (inspection) => span.setAttributes(describeInspection(inspection))),
      );
    },
  );
}
