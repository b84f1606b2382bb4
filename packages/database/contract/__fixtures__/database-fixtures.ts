import { randomUUID } from 'node:crypto';
import { type DeliveryPlan, idFromUuid, type Target } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { insertProjectionJob } from '../../src/attachment/projection-job-writer.ts';
import {
  recordUpload,
  reserveUpload,
  type UploadRecord,
  type UploadReservation,
} from '../../src/attachment/upload-writer.ts';
import { recordVariant, reserveVariant } from '../../src/attachment/variant-writer.ts';
import { insertContradiction, saveFindings } from '../../src/contradiction/contradiction-writer.ts';
import type { Database, Tx } from '../../src/database.ts';
import { insertApiKey } from '../../src/keys/api-key-writer.ts';
import { acceptMessage, type NewMessage, newGrantId } from '../../src/message/message-writer.ts';
import { saveQuarantined } from '../../src/quarantine/quarantine-writer.ts';
import { checkpoint, checkpointPack } from '../../src/schema.ts';
import { saveSecret } from '../../src/secrets/secret-writer.ts';
import { insertAgent } from '../../src/session/agent-writer.ts';
import type { NewEvent } from '../../src/session/append-events.ts';
import { insertParticipant, insertSession, upsertUser } from '../../src/session/session-writer.ts';
import { appendAudit } from '../../src/tenancy/audit-writer.ts';
import { saveOverride } from '../../src/tenancy/capability-override-writer.ts';
import { replaceOrigins } from '../../src/tenancy/origin-writer.ts';
import { insertTenant } from '../../src/tenancy/tenant-writer.ts';
import { addUse, type ModelUse } from '../../src/use/use-writer.ts';

// Fixtures of the contract suites. Ids are stored uuids.

/** A tenant with one session and one agent in it. */
export type Place = { tenantId: string; sessionId: string; agentId: string };

export const target: Target = { profile: 'example', runtime: 'acp', provider: 'anthropic', model: 'model-1' };
export const sha256 = 'ab'.repeat(32);
export const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

export const newUse = ({ sessionId, agentId }: Omit<Place, 'tenantId'>, given: Partial<ModelUse> = {}): ModelUse => ({
  ...{ day: '2026-01-01', sessionId, agentId, provider: 'anthropic', model: 'model-1' },
  ...{ requests: 1, uncountedRequests: 0, inputTokens: 100, cachedInputTokens: 40, outputTokens: 10 },
  ...given,
});

export async function createTenant(db: Database): Promise<string> {
  const tenantId = randomUUID();
  await insertTenant(db, { tenantId, name: `tenant-${tenantId}` });
  return tenantId;
}

export async function createPlace(db: Database): Promise<Place> {
  const tenantId = await createTenant(db);
  return db.asTenant(tenantId, async (tx) => {
    const sessionId = await addSession(tx, tenantId);
    return { tenantId, sessionId, agentId: await addAgent(tx, { tenantId, sessionId }) };
  });
}

export const createSession = (db: Database, tenantId: string): Promise<string> =>
  db.asTenant(tenantId, (tx) => addSession(tx, tenantId));

export const createAgent = (
  db: Database,
  { tenantId, sessionId }: { tenantId: string; sessionId: string },
  given = target,
): Promise<string> => db.asTenant(tenantId, (tx) => addAgent(tx, { tenantId, sessionId }, given));

async function addSession(tx: Tx, tenantId: string): Promise<string> {
  const id = randomUUID();
  const settings = { replayPolicy: { originals: 'none' }, conversions: 'allow', metadata: {} } as const;
  await insertSession(tx, { tenantId, id, externalId: null, createdAt: new Date(), ...settings });
  return id;
}

async function addAgent(tx: Tx, row: { tenantId: string; sessionId: string }, given = target): Promise<string> {
  const id = randomUUID();
  const name = `agent-${id.slice(0, 8)}`;
  await insertAgent(tx, { ...row, id, name, role: 'lead', target: given, createdAt: new Date() });
  return id;
}

export function newReservation(
  place: { tenantId: string; sessionId: string },
  given: Partial<UploadReservation> = {},
): UploadReservation {
  const blobId = randomUUID();
  const { tenantId, sessionId } = place;
  return { tenantId, sessionId, blobId, key: `key-${blobId}`, storeId: 'files', reserveBytes: 100, ...given };
}

export function newRecord(
  reservation: UploadReservation,
  given: Partial<UploadRecord> = {},
): UploadRecord & { attachmentId: string } {
  const attachmentId = randomUUID();
  const { tenantId, sessionId, blobId, key: blobKey } = reservation;
  const described = { mimeType: 'image/png', kind: 'image', sizeBytes: 42, sha256, origin: 'upload' } as const;
  return {
    ...{ tenantId, sessionId, blobId, blobKey, attachmentId, name: 'cat.png', createdAt: new Date().toISOString() },
    ...described,
    uploadedBy: 'ingest',
    events: [
      {
        kind: 'attachment.added',
        actor: { type: 'service', id: 'ingest' },
        data: { attachmentId: idFromUuid('attachment', attachmentId), ...described },
      },
    ],
    ...given,
  };
}

/** Rows of a table as they were last counted for plans; -1 where they never were. */
export const countForPlans = (db: Database, table: string): Promise<number> =>
  db.call(sql`select to_jsonb(c.reltuples::int) from pg_class c where c.oid = ${table}::regclass`);

/** A recorded upload. */
export async function createAttachment(
  db: Database,
  place: { tenantId: string; sessionId: string },
  given: Partial<UploadRecord> = {},
): Promise<{ attachmentId: string; blobId: string; key: string }> {
  const reservation = newReservation(place);
  const record = newRecord(reservation, given);
  await reserveUpload(db, reservation);
  const { outcome } = await recordUpload(db, record);
  if (outcome !== 'recorded') throw new Error(`the upload was not recorded: ${outcome}`);
  return { attachmentId: record.attachmentId, blobId: reservation.blobId, key: reservation.key };
}

export function newPlan(agentId: string): DeliveryPlan {
  return { agentId: idFromUuid('agent', agentId), decision: 'deliver', items: [], failures: [], budget: {} };
}

/** The argument of `acceptMessage` for one message to one agent that names these attachments. */
export function newMessage(place: Place, attachmentIds: readonly string[] = []): NewMessage {
  const { tenantId, sessionId, agentId } = place;
  const [messageId, deliveryId] = [randomUUID(), randomUUID()];
  const event: NewEvent = {
    kind: 'message.accepted',
    actor: { type: 'service', id: 'ingest' },
    data: {
      messageId: idFromUuid('message', messageId),
      to: [idFromUuid('agent', agentId)],
      attachmentIds: attachmentIds.map((id) => idFromUuid('attachment', id)),
      deliveryIds: [idFromUuid('delivery', deliveryId)],
    },
  };
  return {
    ...{ tenantId, sessionId, messageId, text: 'hello', attachmentIds, traceId },
    sender: event.actor,
    deliveries: [{ id: deliveryId, agentId, targetVersion: 1, plan: newPlan(agentId) }],
    grants: attachmentIds.map((attachmentId) => ({ id: newGrantId(), attachmentId, agentId })),
    createdAt: new Date().toISOString(),
    maxWaiting: 1_000,
    events: [event],
  };
}

/** An accepted message with its queued delivery. */
export async function createDelivery(
  db: Database,
  place: Place,
  attachmentIds: readonly string[] = [],
): Promise<{ messageId: string; deliveryId: string; seq: number }> {
  const message = newMessage(place, attachmentIds);
  const accepted = await acceptMessage(db, message);
  const [delivery] = message.deliveries;
  if (accepted.outcome !== 'accepted' || !delivery)
    throw new Error(`the message was not accepted: ${accepted.outcome}`);
  return { messageId: message.messageId, deliveryId: delivery.id, seq: accepted.seq };
}

/** A tenant that has at least one row in every table that holds content. */
export async function fillTenant(db: Database): Promise<Place> {
  const place = await createPlace(db);
  const { tenantId, sessionId } = place;
  const { attachmentId } = await createAttachment(db, place);
  const { deliveryId } = await createDelivery(db, place, [attachmentId]);
  const idempotency = { route: 'uploadRaw', sessionId, key: randomUUID() };
  const reservation = newReservation(place, { idempotency });
  await reserveUpload(db, reservation);
  await db.asTenant(tenantId, async (tx) => {
    const key = { tenantId, id: randomUUID(), name: 'first key', secretHash: 'hash', trustedTrace: false };
    await insertApiKey(tx, { ...key, scopes: ['admin'] });
    const userId = await upsertUser(tx, { tenantId, externalUserId: 'user-1' });
    await insertParticipant(tx, { tenantId, sessionId, userId, rights: ['events:read'] });
    const actor = { type: 'service', id: 'ingest' } as const;
    await appendAudit(tx, { tenantId, actor, action: 'access.denied' });
    const said = { profile: 'example', model: 'm', capability: { image: true }, reason: 'seen', author: actor };
    await saveOverride(tx, { tenantId, ...said });
    await saveSecret(tx, { tenantId, name: 'a', version: 1, kid: 'k1', enc: 'enc', ciphertext: 'text' });
    await replaceOrigins(tx, tenantId, ['https://app.example']);
    await saveQuarantined(tx, { ...place, targetVersion: 1 }, [{ wireSha256: sha256, code: 'c', isGroup: false }]);
    await addUse(tx, { uses: [newUse(place)], today: '2026-01-01' }, () => {});
    const shown = { row: 'acp', programVersion: '1', tenantId };
    await saveFindings(tx, { ...shown, sessionId, deliveryId }, [{ kind: 'image', finding: 'dropped' }]);
    await insertContradiction(tx, { ...shown, kind: 'image', note: 'seen' });
    const pack = { tenantId, agentId: place.agentId, blobId: reservation.blobId };
    await tx.insert(checkpointPack).values({ ...pack, rawBytes: 1 });
    const remembered = { ...place, number: 1, epoch: 1, targetVersion: 1, memoryVersion: 0, reference: 'talk-1' };
    await tx.insert(checkpoint).values({ ...remembered, deliveryId, packs: [pack.blobId], files: [], sizeBytes: 1 });
    await insertProjectionJob(tx, { tenantId, sessionId, id: randomUUID(), plan: newPlan(place.agentId) });
  });
  await createVariant(db, tenantId, randomUUID());
  return place;
}

/** Records a variant on a blob of its own. The answer's `isNew` is false where the variant was there. */
export async function createVariant(
  db: Database,
  tenantId: string,
  variantId: string,
): Promise<{ isNew: boolean; blobId: string }> {
  const blobId = randomUUID();
  await reserveVariant(db, { tenantId, id: blobId, key: `key-${blobId}`, storeId: 'files' });
  const { isNew } = await recordVariant(db, {
    ...{ tenantId, id: variantId, blobId, sourceSha256: sha256, purpose: 'preview', recipe: 'preview/1', sha256 },
    ...{ mimeType: 'image/webp', sizeBytes: 7, width: 8, height: 8, scale: 0.5, page: null, warnings: [] },
  });
  return { isNew, blobId };
}
