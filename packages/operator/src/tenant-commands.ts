import { randomUUID } from 'node:crypto';
import { findRotationRefusal, holdKey, issueKey, rotateKey } from '@attache/api-keys/keys';
import { Fault, type NewApiKey, type OperatorInput, type OperatorOutput, type Tenant } from '@attache/contracts';
import {
  addTenant,
  appendAudit,
  isUniqueViolation,
  listApiKeys,
  listTenants,
  raiseTenantUrlGeneration,
  readTenant,
  restoreTenant,
  setTenantLimits,
  suspendTenant,
  type TenantLimits,
  type Tx,
} from '@attache/database';
import { type OperatorDeps, operator, requireTenant } from './operator-deps.ts';
import { cutPage, DEFAULT_PAGE } from './page.ts';

type Data = Record<string, string | number | boolean>;

const MAX_KEYS = 10_000;

const recordChange = (tx: Tx, tenantId: string, data: Data) =>
  appendAudit(tx, { tenantId, actor: operator, action: 'tenant.changed', data });

async function describeTenant(tx: Tx): Promise<Tenant> {
  const tenant = await readTenant(tx);
  if (!tenant) throw new Error('a tenant is not there after it was found');
  return tenant;
}

/** Makes a tenant with its first key, in one transaction. */
export async function createTenant(
  { db }: OperatorDeps,
  { name, trustedTrace }: OperatorInput<'tenant.create'>,
): Promise<OperatorOutput<'tenant.create'>> {
  const tenantId = randomUUID();
  try {
    return await db.asTenant(tenantId, async (tx) => {
      await addTenant(tx, { tenantId, name });
      await recordChange(tx, tenantId, { change: 'created' });
      const request = { name: 'first key', scopes: ['admin' as const], ...(trustedTrace ? { trustedTrace } : {}) };
      const made = await issueKey({ tx, tenantId, actor: operator }, request);
      return { ...made, tenant: await describeTenant(tx) };
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'tenant_name_unique')) throw error;
    throw new Fault('TENANT_NAME_TAKEN', `There is a tenant named ${name} already. Choose another name.`, {
      cause: error,
    });
  }
}

export async function listTenantsByName(
  { db }: OperatorDeps,
  { limit = DEFAULT_PAGE, cursor }: OperatorInput<'tenant.list'>,
): Promise<OperatorOutput<'tenant.list'>> {
  const { items, last } = cutPage(await listTenants(db, { afterName: cursor, limit: limit + 1 }), limit);
  return { items, nextCursor: last?.name ?? null };
}

async function changeTenant(
  { db }: OperatorDeps,
  name: string,
  change: (tx: Tx) => Promise<Data | undefined>,
): Promise<{ tenant: Tenant }> {
  const tenantId = await requireTenant(db, name);
  return db.asTenant(tenantId, async (tx) => {
    const changed = await change(tx);
    if (changed) await recordChange(tx, tenantId, changed);
    return { tenant: await describeTenant(tx) };
  });
}

/** Changes limits: null takes one away, one that is not named stays. */
export function setTenant(
  deps: OperatorDeps,
  { name, maxUploadBytes, quotaBytes, tokensPerDay, maxLiveAgents }: OperatorInput<'tenant.set'>,
): Promise<OperatorOutput<'tenant.set'>> {
  const limits: TenantLimits = {
    ...(maxUploadBytes === undefined ? {} : { maxUploadBytes }),
    ...(quotaBytes === undefined ? {} : { quotaBytes }),
    ...(tokensPerDay === undefined ? {} : { tokensPerDay }),
    ...(maxLiveAgents === undefined ? {} : { maxLiveAgents }),
  };
  const entries = Object.entries(limits);
  if (entries.length === 0) throw new Fault('INVALID_REQUEST', 'There is no limit to change. Name one of them.');
  return changeTenant(deps, name, async (tx) => {
    await setTenantLimits(tx, limits);
    return { change: 'limits', ...Object.fromEntries(entries.map(([limit, value]) => [limit, value ?? 'none'])) };
  });
}

/** Suspends: from now on every credential of the tenant is refused. Nothing is deleted, and it can be restored. */
export const suspend = (deps: OperatorDeps, { name }: OperatorInput<'tenant.revoke'>) =>
  changeTenant(deps, name, async (tx) => ((await suspendTenant(tx)) ? { change: 'suspended' } : undefined));

export const restore = (deps: OperatorDeps, { name }: OperatorInput<'tenant.restore'>) =>
  changeTenant(deps, name, async (tx) => ((await restoreTenant(tx)) ? { change: 'restored' } : undefined));

/** Ends every signed URL of the tenant. New ones can be asked for at once. */
export const endTenantUrls = (deps: OperatorDeps, { name }: OperatorInput<'tenant.endUrls'>) =>
  changeTenant(deps, name, async (tx) => {
    await raiseTenantUrlGeneration(tx);
    return { change: 'urls ended' };
  });

/** Rotates every key that is usable and has no successor yet, all or none. */
export async function rotateTenant(
  { db }: OperatorDeps,
  { name, overlapSeconds }: OperatorInput<'tenant.rotate'>,
): Promise<OperatorOutput<'tenant.rotate'>> {
  const tenantId = await requireTenant(db, name);
  return db.asTenant(tenantId, async (tx) => {
    const work = { tx, tenantId, actor: operator };
    const keys: NewApiKey[] = [];
    for (const { id } of await listApiKeys(tx, { limit: MAX_KEYS })) {
      const row = await holdKey(tx, id);
      if ((await findRotationRefusal(tx, row)) === undefined) keys.push(await rotateKey(work, row, overlapSeconds));
    }
    return { tenant: await describeTenant(tx), keys };
  });
}
