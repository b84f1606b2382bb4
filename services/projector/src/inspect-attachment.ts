import { isBlobKeyOf } from '@attache/blob-store';
import { type BusMessage, idFromUuid } from '@attache/contracts';
import {
  type Inspection,
  readRungAttachment,
  readStoredAttachments,
  type StoredAttachment,
  settleInspection,
} from '@attache/database';
import { decideInspection, type InspectionFact } from '@attache/domain';
import { describeProcess, logAttachmentInspected, withSpan } from '@attache/telemetry';
import type { ProjectorDeps } from './projector-deps.ts';
import { addPreview, type PreviewDeps } from './variants/make-preview.ts';
import type { VariantDeps } from './variants/make-variants.ts';
import { whileAttached } from './while-attached.ts';
import { fetchOriginal, nameWorkFile } from './work-files.ts';

type Added = Extract<BusMessage, { subject: 'attachment.added' }>;

/** An attachment to inspect, and whether a ring brought it, which may be old or forged. */
type Found = { stored: StoredAttachment; isRung: boolean };

/** Finds the attachment to inspect: as it came with a ring, or else as it is recorded. Undefined if there is nothing to inspect. */
async function findPending(
  { db }: Pick<ProjectorDeps, 'db'>,
  { data }: Added,
  head: unknown,
): Promise<Found | undefined> {
  const { tenantId, attachmentId } = data;
  const rung = head === undefined ? undefined : readRungAttachment(head, data);
  if (rung && isBlobKeyOf(tenantId, rung.blobKey)) return { stored: rung, isRung: true };
  const [stored] = await readStoredAttachments(db, tenantId, [attachmentId]);
  return stored?.attachment.status === 'pending' ? { stored, isRung: false } : undefined;
}

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
  { stored, isRung }: Found,
  inspection: Inspection,
): Promise<boolean> {
  const decision = decideInspection(stored.attachment, factOf(inspection));
  if (!decision) return false;
  const isLost = inspection.status === 'rejected' && inspection.failure.code === 'attachment_missing';
  return settleInspection(db, {
    ...{ tenantId: message.data.tenantId, attachmentId: stored.id, sessionId: stored.sessionId },
    eventId: message.id,
    inspection,
    ...(isRung ? { seenKey: stored.blobKey } : {}),
    ...(isLost ? { lostKey: stored.blobKey } : {}),
    events: [decision.event],
  });
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

/** Settles the inspection of an attachment, whose bytes are at `path`. */
async function inspectAt(
  deps: VariantDeps & Pick<ProjectorDeps, 'log'>,
  { message, found, path }: { message: Added; found: Found; path: string },
): Promise<{ inspection: Inspection; isSettled: boolean }> {
  const { tenantId } = message.data;
  const { stored } = found;
  const startedAt = performance.now();
  const inspection = await withSpan({ name: 'attachment.inspect' }, () => inspect(deps, tenantId, stored, path));
  const isSettled = await settle(deps, message, found, inspection);
  const { status, kind } = inspection;
  const durationMs = performance.now() - startedAt;
  logAttachmentInspected(deps.log, {
    ...{ attachmentId: stored.attachment.id, status, kind, code: codeOf(inspection), durationMs },
  });
  return { inspection, isSettled };
}

/** The picture that a preview is made from; undefined for a file that is no picture. */
function findPicture(stored: StoredAttachment, inspection: Inspection): StoredAttachment | undefined {
  if (inspection.status === 'rejected' || inspection.kind !== 'image') return undefined;
  const { status, kind, mimeType, facts } = inspection;
  return { ...stored, attachment: { ...stored.attachment, status, kind, mimeType, facts } };
}

/**
 * Inspects a new attachment in an isolated worker: `ready` with facts, or `rejected` with its failure. The preview of a picture follows by
 * itself. `head` is what a ring brought. Returns whether it did, and so settled the message.
 */
export async function inspectAttachment(deps: PreviewDeps, message: Added, head?: unknown): Promise<boolean> {
  const { tenantId, attachmentId } = message.data;
  const attributes = { 'att.id': idFromUuid('attachment', attachmentId), ...describeProcess(message, 'projector') };
  const links = [message.receivedIn];
  return withSpan(
    { name: 'process attachment.added', kind: 'consumer', parent: message.trace ?? 'root', links, attributes },
    async (span) => {
      const found = await findPending(deps, message, head);
      if (!found) return false;
      await using files = new AsyncDisposableStack();
      const { path } = files.use(nameWorkFile(deps.workFolder));
      const work = await whileAttached(deps, message.data, (watched) => inspectAt(watched, { message, found, path }));
      if (work.status === 'gone') return false;
      const { inspection, isSettled } = work.result;
      span.setAttributes(describeInspection(inspection));
      const picture = isSettled ? findPicture(found.stored, inspection) : undefined;
      if (picture) await addPreview(deps, { tenantId, stored: picture, path }, files.move());
      return isSettled;
    },
  );
}
