import { randomUUID } from 'node:crypto';
import { hashApiKeySecret, isApiKeySecret, parseApiKey } from '@attache/api-keys/api-key-secret';
import { Fault, idFromUuid, tenantNameSchema } from '@attache/contracts';
import {
  appendAudit,
  type Database,
  findApiKey,
  findTenantByName,
  insertApiKey,
  insertTenant,
  isUniqueViolation,
} from '@attache/database';
import { operator } from './operator-deps.ts';

const refuse = (sentence: string): Fault => new Fault('CONFIGURATION_INVALID', sentence);

async function ensureTenant(db: Database, name: string): Promise<string> {
  const found = await findTenantByName(db, name);
  if (found !== undefined) return found;
  const tenantId = randomUUID();
  try {
    await insertTenant(db, { tenantId, name });
    return tenantId;
  } catch (error) {
    // Another process made it between the look and the insert: that one counts.
    const made = isUniqueViolation(error) ? await findTenantByName(db, name) : undefined;
    if (made === undefined) throw error;
    return made;
  }
}

async function ensureKey(db: Database, tenantId: string, key: { keyId: string; secret: string }): Promise<void> {
  const present = await findApiKey(db, key.keyId);
  if (present) {
    if (present.tenantId === tenantId && isApiKeySecret(key.secret, present.secretHash)) return;
    throw refuse('ATTACHE_INIT_API_KEY has the id of another key. Make a fresh one with `attache key generate`.');
  }
  await db.asTenant(tenantId, async (tx) => {
    const secretHash = hashApiKeySecret(key.secret);
    const row = { tenantId, id: key.keyId, name: 'init key', secretHash, trustedTrace: true };
    const inserted = await insertApiKey(tx, { ...row, scopes: ['admin'] });
    if (!inserted) return;
    const subjectId = idFromUuid('key', key.keyId);
    await appendAudit(tx, { tenantId, actor: operator, action: 'key.created', subjectId, data: { scopes: 'admin' } });
  });
}

/**
 * Makes the tenant of `ATTACHE_INIT_TENANT` with exactly the key of `ATTACHE_INIT_API_KEY`, scope `admin`. Any number of processes
 * may do it at once and at every start: it is one tenant with one key, and what was changed or revoked since stays so.
 */
export async function ensureInitTenant(init: { db: Database; name: string; apiKey: string }): Promise<void> {
  if (!tenantNameSchema.safeParse(init.name).success)
    throw refuse('ATTACHE_INIT_TENANT must be 1 to 100 letters, digits, `.`, `_` or `-`.');
  const key = parseApiKey(init.apiKey);
  if (!key) throw refuse('ATTACHE_INIT_API_KEY is not a well-formed API key. Make one with `attache key generate`.');
  await ensureKey(init.db, await ensureTenant(init.db, init.name), key);
}
