import { isApiKeySecret, parseApiKey } from '@attache/api-keys/api-key-secret';
import { Fault, idFromUuid, type KeyId, rightsOfScopes } from '@attache/contracts';
import { type Database, type FoundApiKey, findApiKey, type LookAhead } from '@attache/database';
import { DEFAULT_URL_LIFETIME_SECONDS } from '@attache/intake';
import { type Caller, nameAhead } from './caller.ts';

export const unauthenticated = (): Fault =>
  new Fault(
    'UNAUTHENTICATED',
    'The credential is missing, unknown or has expired. Send `Authorization: Bearer …` with a valid one.',
  );

/** A well-formed API key, which may still be unknown. */
export type PresentedKey = { id: KeyId; keyId: string; secret: string };

/** Reads an API key by its form and checksum alone. Throws a fault if it is malformed. Its secret is not checked here. */
export function readApiKey(credential: string): PresentedKey {
  const parsed = parseApiKey(credential);
  if (!parsed) throw unauthenticated();
  return { ...parsed, id: idFromUuid('key', parsed.keyId) };
}

/** The caller behind an API key, with the rows that its route reads first; or a fault. */
export async function authenticateApiKey(db: Database, key: PresentedKey, ahead?: LookAhead): Promise<Caller> {
  const found = await findApiKey(db, key.keyId, ahead);
  const isSecret = isApiKeySecret(key.secret, found?.secretHash);
  if (!found || !isSecret || !found.isUsable) throw unauthenticated();
  return describeHolder(found, key.keyId, ahead);
}

/** The same for a key that made a signed ticket: the signature proves what its secret would. */
export async function authenticateKeyId(db: Database, keyId: string, ahead?: LookAhead): Promise<Caller> {
  const found = await findApiKey(db, keyId, ahead);
  if (!found?.isUsable) throw unauthenticated();
  return describeHolder(found, keyId, ahead);
}

function describeHolder(found: FoundApiKey, keyId: string, ahead: LookAhead | undefined): Caller {
  return {
    tenantId: found.tenantId,
    actor: { type: 'key', id: idFromUuid('key', keyId) },
    principal: idFromUuid('key', found.firstKeyId),
    rights: rightsOfScopes(found.scopes),
    onlySessionId: undefined,
    isTrusted: found.trustedTrace,
    maxUploadBytes: found.maxUploadBytes ?? undefined,
    urls: {
      tenantGeneration: found.urlGeneration,
      maxLifetimeSeconds: DEFAULT_URL_LIFETIME_SECONDS,
      isRefused: false,
    },
    upload: found.upload,
    log: found.log,
    named: nameAhead(ahead, found.named),
  };
}
