import { randomUUID } from 'node:crypto';
import { createApiKeySecret } from '@attache/api-keys/api-key-secret';
import { type Database, findTenantByName, insertApiKey, insertTenant } from '@attache/database';
import { type DataFolder, readIfThere, writePrivate } from './data-folder.ts';

const TENANT_NAME = 'local';

/** At the first start: the tenant `local` and a key for it, kept in the data folder. Returns the key. */
export async function ensureFirstTenant(
  db: Database,
  folder: DataFolder,
): Promise<{ tenantId: string; apiKey: string }> {
  let tenantId = await findTenantByName(db, TENANT_NAME);
  if (tenantId === undefined) {
    tenantId = randomUUID();
    await insertTenant(db, { tenantId, name: TENANT_NAME });
  }
  const kept = (await readIfThere(folder.keyFile))?.trim();
  if (kept) return { tenantId, apiKey: kept };
  const id = randomUUID();
  const { apiKey, secretHash } = createApiKeySecret(id);
  // A reader of this folder runs the platform, so its traces may be parents of ours.
  const key = { tenantId, id, name: 'first key', secretHash, trustedTrace: true };
  await db.asTenant(tenantId, (tx) => insertApiKey(tx, { ...key, scopes: ['admin'] }));
  await writePrivate(folder.keyFile, `${apiKey}\n`);
  return { tenantId, apiKey };
}
