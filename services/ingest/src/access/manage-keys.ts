import { endKey, holdKey, issueKey, type KeyWork, rotateKey } from '@attache/api-keys/keys';
import {
  type CreateKeyRequest,
  Fault,
  type NewApiKey,
  type RotateKeyRequest,
  rightsOfScope,
  rightsOfScopes,
  type Scope,
} from '@attache/contracts';
import type { Tx } from '@attache/database';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import type { Keep } from '../once/run-once.ts';

type KeyDeps = Pick<IngestDeps, 'db'>;

// Nobody makes a key that may more than they may themselves.
function refuseEscalation(caller: Caller, key: { scopes: readonly Scope[]; trustedTrace: boolean }): void {
  const beyond = [...rightsOfScopes(key.scopes)].filter((right) => !caller.rights.has(right));
  if (beyond.length > 0)
    throw new Fault('FORBIDDEN', `A key cannot be given rights that this credential lacks: ${beyond.join(', ')}.`);
  const isAdmin = rightsOfScope.admin.every((right) => caller.rights.has(right));
  if (key.trustedTrace && !isAdmin)
    throw new Fault('FORBIDDEN', 'Only a key with the scope admin can make one whose traces are trusted.');
}

const workOf = (tx: Tx, { tenantId, actor }: Caller): KeyWork => ({ tx, tenantId, actor });

/** Makes an API key. Its scopes hold no right that the caller lacks. */
export async function createKey(
  { db }: KeyDeps,
  caller: Caller,
  request: CreateKeyRequest,
  keep: Keep,
): Promise<NewApiKey> {
  refuseEscalation(caller, { scopes: request.scopes, trustedTrace: request.trustedTrace === true });
  return db.asTenant(caller.tenantId, async (tx) => {
    const made = await issueKey(workOf(tx, caller), request);
    await keep.inTransaction(tx, made);
    return made;
  });
}

/** Rotates an API key: a new one with its scopes; the old one ends after the overlap. */
export async function replaceKey(
  { db }: KeyDeps,
  caller: Caller,
  request: RotateKeyRequest & { keyId: string },
  keep: Keep,
): Promise<NewApiKey> {
  return db.asTenant(caller.tenantId, async (tx) => {
    const row = await holdKey(tx, request.keyId);
    refuseEscalation(caller, row);
    const made = await rotateKey(workOf(tx, caller), row, request.overlapSeconds);
    await keep.inTransaction(tx, made);
    return made;
  });
}

/** Revokes an API key at once. */
export async function revokeKey({ db }: KeyDeps, caller: Caller, keyId: string): Promise<void> {
  await db.asTenant(caller.tenantId, (tx) => endKey(workOf(tx, caller), keyId));
}
