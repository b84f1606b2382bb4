import { Fault, MAX_SECRETS, type TenantSecret } from '@attache/contracts';
import { appendAudit, deleteSecret, describeSecret, holdSecrets, listSecrets, saveSecret } from '@attache/database';
import { sealSecret } from '@attache/secrets/seal';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { secretNotFound } from '../not-found.ts';

type SecretDeps = Pick<IngestDeps, 'db' | 'sealingKey'>;

/** The tenant's secrets by name, without their values. */
export async function readSecrets({ db }: Pick<SecretDeps, 'db'>, { tenantId }: Caller): Promise<TenantSecret[]> {
  const rows = await db.readAsTenant(tenantId, listSecrets);
  return rows.map(describeSecret);
}

/** Seals a value and keeps it as the next version of its name. From here on only the gateway can open it. */
export async function putSecret(
  { db, sealingKey }: SecretDeps,
  { tenantId, actor }: Caller,
  { name, value }: { name: string; value: string },
): Promise<TenantSecret> {
  if (sealingKey === undefined) throw cannotSeal();
  return db.asTenant(tenantId, async (tx) => {
    const held = await holdSecrets(tx, name);
    if (held.version === 0 && held.count >= MAX_SECRETS) throw tooMany();
    const place = { tenantId, name, version: held.version + 1 };
    const row = await saveSecret(tx, { ...place, ...(await sealSecret(sealingKey, place, value)) });
    const data = { name, version: row.version };
    await appendAudit(tx, { tenantId, actor, action: 'secret.saved', data });
    return describeSecret(row);
  });
}

/** Removes a secret: the next request that needs it is refused. */
export async function removeSecret({ db }: Pick<SecretDeps, 'db'>, caller: Caller, name: string): Promise<void> {
  const { tenantId, actor } = caller;
  await db.asTenant(tenantId, async (tx) => {
    const deleted = await deleteSecret(tx, name);
    if (!deleted) throw secretNotFound();
    const data = { name, version: deleted.version };
    await appendAudit(tx, { tenantId, actor, action: 'secret.deleted', data });
  });
}

const cannotSeal = (): Fault =>
  new Fault(
    'CONFIGURATION_INVALID',
    'This installation keeps no secrets of tenants. Its operator has to set ATTACHE_SECRET_PUBLIC_KEY and ATTACHE_SECRET_KEYS.',
  );

const tooMany = (): Fault =>
  new Fault('QUOTA_EXCEEDED', `A tenant has at most ${MAX_SECRETS} secrets. Delete one that is not used any more.`);
