import { randomUUID } from 'node:crypto';
import {
  type ApiKey,
  type AuditActor,
  type CreateKeyRequest,
  DEFAULT_OVERLAP_SECONDS,
  Fault,
  idFromUuid,
  type NewApiKey,
} from '@attache/contracts';
import {
  type ApiKeyInsert,
  type ApiKeyRow,
  appendAudit,
  describeApiKey,
  hasSuccessor,
  insertApiKey,
  readApiKey,
  revokeApiKey,
  shortenApiKey,
  type Tx,
} from '@attache/database';
import { createApiKeySecret } from './api-key-secret.ts';

/** A transaction inside one tenant, and who acts in it. */
export type KeyWork = { tx: Tx; tenantId: string; actor: AuditActor };

export const keyNotFound = (): Fault => new Fault('KEY_NOT_FOUND', 'There is no such API key.');

const keyEnded = (why: string): Fault =>
  new Fault('KEY_ENDED', `The API key cannot be rotated: it ${why}. Make a new one instead.`);

async function store(work: KeyWork, key: Omit<ApiKeyInsert, 'tenantId' | 'id' | 'secretHash'>): Promise<NewApiKey> {
  const id = randomUUID();
  const { apiKey, secretHash } = createApiKeySecret(id);
  const row = await insertApiKey(work.tx, { ...key, tenantId: work.tenantId, id, secretHash });
  if (!row) throw new Error('a random key id was taken');
  return { key: describeApiKey(row, new Date()), secret: apiKey };
}

/** Creates a key. The caller checks who may grant which scopes. */
export async function issueKey(work: KeyWork, request: CreateKeyRequest): Promise<NewApiKey> {
  const { name, scopes, trustedTrace = false } = request;
  const expiresAt = request.expiresAt === undefined ? undefined : new Date(request.expiresAt);
  if (expiresAt && expiresAt.getTime() <= Date.now())
    throw new Fault('INVALID_REQUEST', 'expiresAt lies in the past. Give a later time, or none.');
  const made = await store(work, { name, scopes: [...new Set(scopes)], trustedTrace, expiresAt });
  const data = { scopes: made.key.scopes.join(' '), trustedTrace };
  const { tenantId, actor } = work;
  await appendAudit(work.tx, { tenantId, actor, action: 'key.created', subjectId: made.key.id, data });
  return made;
}

/** The key of this uuid, held until the transaction ends; else `KEY_NOT_FOUND`. */
export async function holdKey(tx: Tx, keyId: string): Promise<ApiKeyRow> {
  const row = await readApiKey(tx, keyId, 'for-update');
  if (!row) throw keyNotFound();
  return row;
}

/** Why a key cannot be rotated; undefined where it can. */
export async function findRotationRefusal(tx: Tx, row: ApiKeyRow): Promise<string | undefined> {
  const { status } = describeApiKey(row, new Date());
  if (status !== 'active') return status === 'revoked' ? 'is revoked' : 'has expired';
  return (await hasSuccessor(tx, row.id)) ? 'was rotated before' : undefined;
}

/**
 * Makes a key of the same name, scopes and length of life; the old one ends after the overlap, or earlier by itself. A key is
 * rotated once: one that has ended, or has a successor, is refused.
 */
export async function rotateKey(
  work: KeyWork,
  row: ApiKeyRow,
  overlapSeconds: number = DEFAULT_OVERLAP_SECONDS,
): Promise<NewApiKey> {
  const refusal = await findRotationRefusal(work.tx, row);
  if (refusal !== undefined) throw keyEnded(refusal);
  const { name, scopes, trustedTrace } = row;
  const lifeMs = row.expiresAt && row.expiresAt.getTime() - row.createdAt.getTime();
  const expiresAt = lifeMs === null ? undefined : new Date(Date.now() + lifeMs);
  const made = await store(work, { name, scopes, trustedTrace, expiresAt, rotatedFrom: row.id });
  await shortenApiKey(work.tx, row.id, overlapSeconds);
  const data = { replacedBy: made.key.id, overlapSeconds };
  const { tenantId, actor } = work;
  const subjectId = idFromUuid('key', row.id);
  await appendAudit(work.tx, { tenantId, actor, action: 'key.rotated', subjectId, data });
  return made;
}

/** Ends a key at once. Ending it twice is the same as once. */
export async function endKey(work: KeyWork, keyId: string): Promise<ApiKey> {
  const { tx, tenantId, actor } = work;
  const isEnded = await revokeApiKey(tx, keyId);
  const row = await readApiKey(tx, keyId);
  if (!row) throw keyNotFound();
  const key = describeApiKey(row, new Date());
  if (isEnded) await appendAudit(tx, { tenantId, actor, action: 'key.revoked', subjectId: key.id });
  return key;
}
