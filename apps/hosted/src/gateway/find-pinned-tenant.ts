import { Fault, isId, uuidFromId } from '@attache/contracts';
import { type Database, findTenantByName, readTenant } from '@attache/database';

/** Uuid of the tenant of `ATTACHE_PINNED_TENANT`, its name or its id. Throws CONFIGURATION_INVALID where there is none. */
export async function findPinnedTenant(db: Database, nameOrId: string): Promise<string> {
  const found = await findTenant(db, nameOrId);
  if (found !== undefined) return found;
  throw new Fault('CONFIGURATION_INVALID', `ATTACHE_PINNED_TENANT names ${nameOrId}, and there is no such tenant.`);
}

async function findTenant(db: Database, nameOrId: string): Promise<string | undefined> {
  if (!isId('tenant', nameOrId)) return await findTenantByName(db, nameOrId);
  const uuid = uuidFromId(nameOrId);
  return (await db.readAsTenant(uuid, readTenant)) && uuid;
}
