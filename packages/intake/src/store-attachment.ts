import { randomUUID } from 'node:crypto';
import type { BlobKey } from '@attache/blob-store';
import { Fault } from '@attache/contracts';
import { type KeptAnswer, newGrantId, recordUpload } from '@attache/database';
import {
  createEncodedInspection,
  createPassingInspection,
  type PassingFinding,
  type PassingInspection,
} from '@attache/domain';
import { countInspectedInPassing, currentTrace, withSpan } from '@attache/telemetry';
import { composeUploadEvents } from './compose-upload-events.ts';
import { describeUpload, displayUrlOf, fingerprintOf, readClaims } from './describe-upload.ts';
import type { IncomingFile, IntakeDeps, OpenedFile, ReceivedFile, StoredFile } from './incoming-file.ts';
import { encodingMismatch, noBytes, recordFault, tooLarge } from './intake-fault.ts';
import { createMeasuredStream, type MeasuredStream } from './measure-stream.ts';
import { MAX_OVERHEAD_BYTES } from './read-multipart.ts';
import { removeBytes } from './remove-bytes.ts';
import { giveUpKey, type ReservedKey, reserveKey } from './reserve/reserve-key.ts';

/**
 * The one way in for bytes: reserve, `open` the file, one pass over its stream, record. A file that can be refused without a byte is refused before `open` is
 * called. Nothing names the attachment before its bytes are durable (AT-02); after any failure neither bytes nor a reservation are left.
 */
export async function storeAttachment(
  deps: IntakeDeps,
  incoming: IncomingFile,
  open: () => Promise<OpenedFile>,
): Promise<{ stored: StoredFile; isReplay: boolean }> {
  const { sizeBytes, bodyBytes, maxBytes } = incoming;
  if ((sizeBytes ?? 0) > maxBytes || (bodyBytes ?? 0) > maxBytes + MAX_OVERHEAD_BYTES) throw tooLarge(maxBytes);
  const reserved = await reserveKey(deps, incoming);
  const receive = async () => ({ ...incoming, ...(await open()) });
  if (reserved.outcome === 'replay') return { stored: await replayUpload(await receive(), reserved), isReplay: true };
  try {
    const file = await receive();
    const put = await putBytes(deps, file, reserved.key);
    return { stored: await record(deps, file, { ...reserved, ...put }), isReplay: false };
  } catch (error) {
    await giveUpKey(deps, reserved);
    throw error;
  }
}

/** The result of the one pass: for most files only how they begin, for some everything that inspection would find. */
type Passed = { measured: MeasuredStream; found: PassingFinding | undefined };

async function putBytes(deps: IntakeDeps, file: ReceivedFile, key: BlobKey): Promise<Passed> {
  return withSpan({ name: 'put blob', kind: 'client', attributes: { 'blob.store': deps.blobs.id } }, async (span) => {
    const inspection = inspectionOf(file);
    const measured = createMeasuredStream(file.stream, { maxBytes: file.maxBytes, onBytes: inspection.push });
    let found: PassingFinding | undefined;
    const conclude = () => {
      found = inspection.end();
      if (file.encoding !== undefined && found === undefined) throw encodingMismatch(file.encoding);
    };
    await deps.blobs.put(key, checkAtEnd(measured, file, conclude), { sizeBytes: file.sizeBytes });
    span.setAttribute('att.size', measured.result().sizeBytes);
    return { measured, found };
  });
}

function inspectionOf(file: ReceivedFile): PassingInspection {
  const claims = readClaims(file);
  return file.encoding === undefined ? createPassingInspection(claims) : createEncodedInspection(file.encoding, claims);
}

// Checked before the store makes the bytes visible, so that a refused body is never there at all.
async function* checkAtEnd(
  measured: MeasuredStream,
  file: ReceivedFile,
  conclude?: () => void,
): AsyncGenerator<Uint8Array> {
  yield* measured.stream;
  await file.finished;
  const { sizeBytes, sha256 } = measured.result();
  if (sizeBytes === 0) throw noBytes();
  if (file.expectedSha256 !== undefined && file.expectedSha256 !== sha256) {
    throw new Fault('CHECKSUM_MISMATCH', 'The bytes that arrived do not have the stated sha-256. Send the file again.');
  }
  conclude?.();
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

/** Bytes that are stored under a reserved key. */
type Put = ReservedKey & Passed;

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
      blobKey: key,
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
    if (recorded.hadEnded) void deps.keyPools?.giveBack(file.tenantId);
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
