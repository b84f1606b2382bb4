import { endKey, holdKey, issueKey, type KeyWork, rotateKey } from '@attache/api-keys/keys';
import { type OperatorInput, type OperatorOutput, uuidFromId } from '@attache/contracts';
import { describeApiKey, listApiKeys } from '@attache/database';
import { type OperatorDeps, operator, requireTenant } from './operator-deps.ts';
import { cutPage, DEFAULT_PAGE, formatPosition, parsePosition } from './page.ts';

async function inTenant<T>({ db }: OperatorDeps, name: string, act: (work: KeyWork) => Promise<T>): Promise<T> {
  const tenantId = await requireTenant(db, name);
  return db.asTenant(tenantId, (tx) => act({ tx, tenantId, actor: operator }));
}

export const createKey = (deps: OperatorDeps, { tenant, ...request }: OperatorInput<'key.create'>) =>
  inTenant(deps, tenant, (work) => issueKey(work, request));

export async function listKeys(
  deps: OperatorDeps,
  { tenant, limit = DEFAULT_PAGE, cursor }: OperatorInput<'key.list'>,
): Promise<OperatorOutput<'key.list'>> {
  const after = parsePosition(cursor);
  return inTenant(deps, tenant, async ({ tx }) => {
    const { items, last } = cutPage(await listApiKeys(tx, { after, limit: limit + 1 }), limit);
    const now = new Date();
    return { items: items.map((row) => describeApiKey(row, now)), nextCursor: last ? formatPosition(last) : null };
  });
}

export const rotateOneKey = (deps: OperatorDeps, { tenant, keyId, overlapSeconds }: OperatorInput<'key.rotate'>) =>
  inTenant(deps, tenant, async (work) => rotateKey(work, await holdKey(work.tx, uuidFromId(keyId)), overlapSeconds));

export const revokeKey = (deps: OperatorDeps, { tenant, keyId }: OperatorInput<'key.revoke'>) =>
  inTenant(deps, tenant, async (work) => ({ key: await endKey(work, uuidFromId(keyId)) }));
