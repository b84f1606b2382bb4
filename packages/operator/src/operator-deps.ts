import type { BlobStore } from '@attache/blob-store';
import { type AuditActor, Fault } from '@attache/contracts';
import { type Database, findTenantByName } from '@attache/database';
import type { OpeningKey } from '@attache/secrets/key-text';
import type { Logger } from '@attache/telemetry';

/** The dependencies of the commands. Without `blobs` or `secretKeys`, those that need the blob store or open secrets are refused. */
export type OperatorDeps = {
  db: Database;
  blobs?: BlobStore | undefined;
  /** The newest first. */
  secretKeys?: readonly OpeningKey[] | undefined;
  log: Logger;
};

/** The actor in a tenant's audit log. */
export const operator: AuditActor = { type: 'operator', id: 'operator' };

/** Uuid of the tenant with this name; else `TENANT_NOT_FOUND`. */
export async function requireTenant(db: Database, name: string): Promise<string> {
  const tenantId = await findTenantByName(db, name);
  if (tenantId !== undefined) return tenantId;
  throw new Fault(
    'TENANT_NOT_FOUND',
    `There is no tenant named ${name}. \`attache tenant list\` shows those that exist.`,
  );
}
