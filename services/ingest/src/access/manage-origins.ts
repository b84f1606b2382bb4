import type { TenantOrigins } from '@attache/contracts';
import { appendAudit, listOrigins, replaceOrigins } from '@attache/database';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';

/** The tenant's own origins. Those of the operator are not among them. */
export async function readOrigins({ db }: Pick<IngestDeps, 'db'>, { tenantId }: Caller): Promise<TenantOrigins> {
  return { origins: await db.readAsTenant(tenantId, listOrigins) };
}

/** Replaces the tenant's origins, with an audit entry that says how many there are now. Returns the previous ones. */
export async function saveOrigins(
  { db }: Pick<IngestDeps, 'db'>,
  { tenantId, actor }: Caller,
  origins: readonly string[],
): Promise<string[]> {
  return db.asTenant(tenantId, async (tx) => {
    const previous = await replaceOrigins(tx, tenantId, origins);
    await appendAudit(tx, { tenantId, actor, action: 'origins.saved', data: { origins: origins.length } });
    return previous;
  });
}
