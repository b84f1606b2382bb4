import { Fault } from '@attache/contracts';
import { appendAudit, type Database, findSecret, noteSecretUse, type SecretRow } from '@attache/database';
import { openSecret } from '@attache/secrets/open';
import type { GatewayDeps } from '../gateway-deps.ts';

type SecretDeps = Pick<GatewayDeps, 'db' | 'log' | 'secretKeys'>;

/**
 * The value of a tenant's secret as it is saved now: nothing of it is kept, so that the next call reads a change made meanwhile. Throws
 * SECRET_NOT_FOUND if the tenant has none of this name, CONFIGURATION_INVALID if it cannot be opened; neither holds the value.
 */
export async function readTenantSecret(
  { db, log, secretKeys }: SecretDeps,
  tenantId: string,
  name: string,
): Promise<string> {
  const row = await db.readAsTenant(tenantId, (tx) => findSecret(tx, name));
  if (row === undefined) throw notSaved(name);
  const opened = await openSecret(secretKeys, row, row);
  if (opened.status !== 'opened') {
    const fault = cannotOpen(name, opened);
    log.error({ err: fault }, 'secret.not_opened');
    throw fault;
  }
  if (row.isUseDue) await noteUse(db, row);
  return opened.value;
}

/** Before the value is handed on: no use goes without its entry. At most one a minute is kept of one secret, however many agents use it. */
async function noteUse(db: Database, { tenantId, name, version }: SecretRow): Promise<void> {
  const actor = { type: 'service', id: 'runner-gateway' } as const;
  await db.asTenant(tenantId, async (tx) => {
    if (!(await noteSecretUse(tx, name))) return;
    await appendAudit(tx, { tenantId, actor, action: 'secret.used', data: { name, version } });
  });
}

const notSaved = (name: string): Fault =>
  new Fault(
    'SECRET_NOT_FOUND',
    `There is no secret named ${name}, which the profile takes as the key of its model API. Save it with PUT /v1/secrets/${name}, then retry.`,
  );

function cannotOpen(name: string, opened: { status: 'key-missing'; kid: string } | { status: 'damaged' }): Fault {
  const why =
    opened.status === 'key-missing'
      ? `it is sealed to the key ${opened.kid}, which is not in ATTACHE_SECRET_KEYS of the gateway`
      : 'it is not what was sealed for this tenant, name and version: save it again';
  return new Fault('CONFIGURATION_INVALID', `The secret ${name} cannot be opened: ${why}.`);
}
