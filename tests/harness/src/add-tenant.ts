import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { insertApiKey, insertTenant } from '@attache/database';
import { connectPglite } from '@attache/database/pglite';
import { createApiKeySecret } from '@attache/ingest';

/** Adds a tenant with a key for everything to a data folder that no stack uses now. Answers the key. */
export async function addTenant(dataDir: string, name: string): Promise<string> {
  const db = await connectPglite({ folder: join(dataDir, 'database') });
  try {
    const [tenantId, id] = [randomUUID(), randomUUID()];
    const { apiKey, secretHash } = createApiKeySecret(id);
    await insertTenant(db, { tenantId, name });
    const key = { tenantId, id, name: 'first key', secretHash, trustedTrace: true };
    await db.asTenant(tenantId, (tx) => insertApiKey(tx, { ...key, scopes: ['admin'] }));
    return apiKey;
  } finally {
    await db.close();
  }
}
