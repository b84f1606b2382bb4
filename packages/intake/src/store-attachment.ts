import { randomBytes, randomUUID } from 'node:crypto';
import { type BlobKey, createBlobKey } from '@attache/blob-store';
import { Fault, isFault } from '@attache/contracts';
import {
  abandonUpload,
  createPatience,
  type IdempotencyKey,
  type KeptAnswer,
  newGrantId,
  recordUpload,
  reserveUpload,
  settleAbandonedBlob,
  untilAnswered,
} from '@attache/database';
import { createPassingInspection, type PassingFinding } from '@attache/domain';
import { countInspectedInPassing, currentTrace, withSpan } from '@attache/telemetry';
import { composeUploadEvents } from './compose-upload-events.ts';
import { describeUpload, displayUrlOf, fingerprintOf, readClaims } from './describe-upload.ts';
import type {
  IncomingFile,
  IntakeDeps,
  OpenedFile,
  ReceivedFile,
  StoredFile,
  UploadIdempotency,
} from './incoming-file.ts';
import { noBytes, recordFault, reservationFault, tooLarge } from './intake-fault.ts';
import { createMeasuredStream, type MeasuredStream } from './measure-stream.ts';
import { MAX_OVERHEAD_BYTES } from './read-multipart.ts';
import { removeBytes } from './remove-bytes.ts';

// Afterwards the reservation is the sweep's, and the key ends by its own time.
const ABANDON_WITHIN_MS = 30 * 60_000;

/**
 * The one way in for bytes: reserve, `open` the file, one pass over its stream, record. What can be refused without a byte is refused before
 * `open` is called. Nothing names the attachment before its bytes are durable (AT-02); whatever goes wrong leaves neither bytes nor a
 * reservation.
 */
export async function storeAttachment(
  deps: IntakeDeps,
  incoming: IncomingFile,
  open: () => Promise<OpenedFile>,
): Promise<{ stored: StoredFile; isReplay: boolean }> {
  const { sizeBytes, bodyBytes, maxBytes } = incoming;
  if ((sizeBytes ?? 0) > maxBytes || (bodyBytes ?? 0) > maxBytes + MAX_OVERHEAD_BYTES) throw tooLarge(maxBytes);
  const { tenantId, sessionId } = incoming;
  const upload = { tenantId, blobId: randomUUID(), idempotency: pickKey(incoming.idempotency) };
  const key = createBlobKey(tenantId, randomBytes(16));
  const reserve = () =>
    reserveUpload(deps.db, {
      ...upload,
      sessionId,
      key,
      storeId: deps.blobs.id,
      holder: deps.holder,
      reserveBytes: sizeBytes ?? Math.min(maxBytes, bodyBytes ?? maxBytes),
    });
  const reservation = await reserve().catch(async (error) => {
    await discard(deps, key, upload);
    throw error;
  });
  const receive = async () => ({ ...incoming, ...(await open()) });
  if (reservation.outcome === 'replay')
    return { stored: await replayUpload(await receive(), reservation), isReplay: true };
  if (reservation.outcome !== 'reserved') throw reservationFault(reservation.outcome);
  try {
    const file = await receive();
    const put = await putBytes(deps, file, key);
    const { urlGeneration } = reservation;
    const stored = await record(deps, file, { ...put, blobId: upload.blobId, key, urlGeneration });
    return { stored, isReplay: false };
  } catch (error) {
    await discard(deps, key, upload);
    throw error;
  }
}

const pickKey = (idempotency: UploadIdempotency | undefined): IdempotencyKey | undefined =>
  idempotency && {
    route: idempotency.route,
    sessionId: idempotency.sessionId,
    key: idempotency.key,
    principal: idempotency.principal,
    holder: idempotency.holder,
    ticket: idempotency.ticket,
  };

/** What the one pass told: of most files only what they begin like, of some all that inspection would say. */
type Passed = { measured: MeasuredStream; found: PassingFinding | undefined };

async function putBytes(deps: IntakeDeps, file: ReceivedFile, key: BlobKey): Promise<Passed> {
  return withSpan({ name: 'put blob', kind: 'client', attributes: { 'blob.store': deps.blobs.id } }, async (span) => {
    const inspection = createPassingInspection(readClaims(file));
    const measured = createMeasuredStream(file.stream, { maxBytes: file.maxBytes, onBytes: inspection.push });
    await deps.blobs.put(key, checkAtEnd(measured, file), { sizeBytes: file.sizeBytes });
    span.setAttribute('att.size', measured.result().sizeBytes);
    return { measured, found: inspection.end() };
  });
}

// Checked before the store makes the bytes visible, so that a refused body is never there at all.
async function* checkAtEnd(measured: MeasuredStream, file: ReceivedFile): AsyncGenerator<Uint8Array> {
  yield* measured.stream;
  await file.finished;
  const { sizeBytes, sha256 } = measured.result();
  if (sizeBytes === 0) throw noBytes();
  if (file.expectedSha256 !== undefined && file.expectedSha256 !== sha256) {
    throw new Fault('CHECKSUM_MISMATCH', 'The bytes that arrived do not have the stated sha-256. Send the file again.');
  }
}

type Begun = { tenantId: string; blobId: string; idempotency?: IdempotencyKey | undefined };

async function discard(deps: IntakeDeps, key: BlobKey, upload: Begun): Promise<void> {
  // Whether the record was committed is for the database to say: its answer may have been lost on the way.
  const abandon = async () => {
    if (!(await abandonUpload(deps.db, upload))) return;
    await deps.blobs.delete(key);
    await settleAbandonedBlob(deps.db, { tenantId: upload.tenantId, id: upload.blobId });
  };
  await abandon().catch((error) => {
    // The row stays, and the sweep removes what it owns; the idempotency key must not wait for that.
    if (isFault(error, 'DATABASE_UNAVAILABLE'))
      void untilAnswered(abandon, createPatience(ABANDON_WITHIN_MS)).catch(() => {});
  });
}

async function replayUpload(file: ReceivedFile, kept: KeptAnswer): Promise<StoredFile> {
  const measured = createMeasuredStream(file.stream, { maxBytes: file.maxBytes });
  for await (const _chunk of checkAtEnd(measured, file));
  if (!file.idempotency || fingerprintOf(file, measured) !== kept.fingerprint) {
    throw new Fault(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used for another file. Use a new key for a new upload.',
    );
  }
  return file.idempotency.unseal(kept.sealedAnswer);
}

/** Bytes that are stored under a reservation. `urlGeneration` is the tenant's. */
type Put = Passed & { blobId: string; key: BlobKey; urlGeneration: number };

async function record(
  deps: IntakeDeps,
  file: ReceivedFile,
  { blobId, key, measured, found, urlGeneration }: Put,
): Promise<StoredFile> {
  const attachmentId = randomUUID();
  const grantId = file.agentId === undefined ? undefined : newGrantId();
  return withSpan({ name: 'create attachment.added', kind: 'producer' }, async (span) => {
    const attachment = describeUpload(file, attachmentId, { ...measured.result(), found });
    span.setAttributes({
      'att.id': attachment.id,
      'att.kind': attachment.kind,
      'att.size': attachment.sizeBytes,
      'att.status': attachment.status,
    });
    const stored = { attachment, displayUrl: displayUrlOf(deps, file, attachment, urlGeneration) };
    const recorded = await recordUpload(deps.db, {
      tenantId: file.tenantId,
      sessionId: file.sessionId,
      blobId,
      attachmentId,
      name: attachment.name,
      declaredMimeType: attachment.declaredMimeType,
      mimeType: attachment.mimeType,
      kind: attachment.kind,
      sizeBytes: attachment.sizeBytes,
      sha256: attachment.sha256,
      origin: attachment.origin,
      source: attachment.source,
      found,
      uploadedBy: file.actor.id,
      createdAt: attachment.createdAt,
      trace: currentTrace(),
      events: composeUploadEvents(file, attachment, grantId),
      grantAgentId: file.agentId,
      grantId,
      fence: file.fence,
      idempotency: keep(file, measured, stored),
    });
    if (recorded.outcome !== 'recorded') throw recordFault(recorded.outcome);
    if (found) countInspectedInPassing(found);
    if (recorded.blobId !== blobId) void removeBytes(deps, file.tenantId, { id: blobId, key });
    return stored;
  });
}

function keep(file: ReceivedFile, measured: MeasuredStream, stored: StoredFile) {
  const { idempotency } = file;
  if (!idempotency) return undefined;
  const { route, sessionId, key, ticket } = idempotency;
  const fingerprint = fingerprintOf(file, measured);
  return {
    route,
    sessionId,
    key,
    ticket,
    fingerprint,
    status: idempotency.status,
    sealedAnswer: idempotency.seal(stored),
  };
}
