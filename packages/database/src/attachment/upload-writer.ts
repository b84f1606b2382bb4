import {
  type Attachment,
  type AttachmentKind,
  type AttachmentOrigin,
  type AttachmentSource,
  idFromUuid,
  SCHEMA_VERSION,
  type TraceContext,
} from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { v7 as uuidV7 } from 'uuid';
import type { Announced, Database } from '../database.ts';
import type { IdempotencyKey, KeptAnswer } from '../idempotency/idempotency-writer.ts';
import { type NewEvent, orRefusal, toAppended, toEventRows } from '../session/append-events.ts';
import type { Fence } from '../session/owner/fence.ts';
import { foldName } from './fold-name.ts';
import type { RungAttachment } from './rung-attachment.ts';

export type UploadReservation = {
  tenantId: string;
  sessionId: string;
  blobId: string;
  key: string;
  storeId: string;
  /** Counted against the quota until the real size is known. */
  reserveBytes: number;
  /** Incarnation of the process that reserves: with its lease the reservation ends. Without one it ends after a day. */
  holder?: string | undefined;
  idempotency?: IdempotencyKey | undefined;
  /** If no room is found, keys reserved in advance are kept: the caller gives back its own first. */
  keepsPools?: boolean | undefined;
};

/** `quota-held`: there is room in the quota, but bytes that wait for their removal take it. */
export type ReservationOutcome =
  | { outcome: 'session-not-found' | 'session-ended' | 'quota-exceeded' | 'quota-held' | 'in-progress' | 'key-reused' }
  | { outcome: 'reserved' /** The number that the tenant's signed URLs must hold. */; urlGeneration: number }
  | ({ outcome: 'replay' } & KeptAnswer);

/** Gate, idempotency key, quota and a reserved blob row, in one round trip and before any byte (W3). */
export async function reserveUpload(db: Database, reservation: UploadReservation): Promise<ReservationOutcome> {
  return db.call(sql`select attache_reserve_upload(${JSON.stringify(reservation)}::jsonb)`, {
    tenantId: reservation.tenantId,
  });
}

export type UploadRecord = {
  tenantId: string;
  sessionId: string;
  blobId: string;
  blobKey: string;
  attachmentId: string;
  name: string;
  declaredMimeType?: string | undefined;
  mimeType: string;
  kind: AttachmentKind;
  sizeBytes: number;
  sha256: string;
  origin: AttachmentOrigin;
  source?: AttachmentSource | undefined;
  /** The result of inspecting the bytes as they arrived; `mimeType` and `kind` come from it. Without it, a message asks the projector to inspect the file. */
  found?: Pick<Attachment, 'facts' | 'warnings'> | undefined;
  /** Public id of the uploader. */
  uploadedBy: string;
  createdAt: string;
  trace?: TraceContext | undefined;
  events: readonly NewEvent[];
  /** The agent that made the file may read it. */
  grantAgentId?: string | undefined;
  grantId?: string | undefined;
  fence?: Fence | undefined;
  idempotency?: (IdempotencyKey & KeptAnswer) | undefined;
};

/**
 * `blobId` is the blob that the attachment uses: an older one where the tenant had the same bytes already (BX-07). The one that was written is
 * deleted then, and its bytes are to be removed. Of the quota's refusals it has those of a key whose pool had ended.
 */
export type RecordOutcome =
  | {
      outcome: 'recorded';
      blobId: string;
      /** Its key was of a pool that had ended; there was room for it all the same. */
      hadEnded: boolean;
    }
  | { outcome: 'session-ended' | 'reservation-lost' | 'ownership-lost' | 'quota-exceeded' | 'quota-held' };

/** The position and time of the events in the log. A database of the release before returns neither. */
type RecordAnswer = RecordOutcome & { lastSeq?: number; at?: string };

/**
 * Blob live, attachment pending or ready, outbox for one that is pending, idempotency and log events, in one round trip after the bytes are
 * durable (AT-02).
 */
export async function recordUpload(
  db: Database,
  { events, found, blobKey, ...record }: UploadRecord,
): Promise<RecordOutcome> {
  const { tenantId, sessionId, attachmentId, trace } = record;
  const added: Announced = {
    ...{ id: uuidV7(), subject: 'attachment.added', data: { tenantId, sessionId, attachmentId }, trace },
  };
  const rows = toEventRows(events);
  const parameters = JSON.stringify({
    ...record,
    foldedName: foldName(record.name),
    fallbackMs: db.fallbackMs,
    ...(found ? { found: { facts: found.facts, warnings: found.warnings } } : { outboxId: added.id }),
    events: rows,
  });
  const statement = sql`select attache_record_attachment(${parameters}::jsonb)`;
  const announce = (answer: RecordOutcome): Announced[] => {
    if (answer.outcome !== 'recorded' || found) return [];
    // Under an older blob of the same bytes the projector reads which.
    return [answer.blobId === record.blobId ? { ...added, head: composeRung(record, blobKey) } : added];
  };
  const appended = ({ lastSeq, at }: RecordAnswer) =>
    lastSeq == null ? undefined : toAppended(record, rows, { lastSeq, at });
  const answer = db.call<RecordAnswer>(statement, { doorbells: [`log:${sessionId}`], announce, appended, tenantId });
  const { lastSeq, at, ...outcome }: RecordAnswer = await orRefusal(answer);
  return outcome;
}

/** The data that the projector would otherwise read of the attachment, as of the commit that recorded it. */
function composeRung(record: Omit<UploadRecord, 'events' | 'blobKey'>, blobKey: string): RungAttachment {
  const { attachmentId, sessionId, name, mimeType, declaredMimeType, kind, sizeBytes, sha256, origin, source } = record;
  const attachment: Attachment = {
    id: idFromUuid('attachment', attachmentId),
    sessionId: idFromUuid('session', sessionId),
    ...{ name, mimeType, declaredMimeType, kind, size: sizeBytes, sizeBytes, sha256, origin, source },
    ...{ status: 'pending', facts: {}, variants: [], warnings: [] },
    ...{ createdAt: record.createdAt, schemaVersion: SCHEMA_VERSION },
  };
  return { attachment, blobKey, uploadedBy: record.uploadedBy, trace: record.trace };
}

/** Gives back what an upload reserved. True: it was not recorded and will not be, and its bytes may be removed (W4). */
export async function abandonUpload(
  db: Database,
  upload: { tenantId: string; blobId: string; idempotency?: IdempotencyKey | undefined },
): Promise<boolean> {
  return db.call(sql`select attache_abandon_upload(${JSON.stringify(upload)}::jsonb)`, { tenantId: upload.tenantId });
}
