import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { useOnce } from '../../src/idempotency/idempotency-writer.ts';
import { isOriginAllowed, listOrigins } from '../../src/tenancy/origin-reader.ts';
import { replaceOrigins } from '../../src/tenancy/origin-writer.ts';
import { restoreTenant, suspendTenant } from '../../src/tenancy/tenant-writer.ts';
import { createTenant } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const newOrigin = () => `https://${randomUUID()}.example`;

/** Origins of a tenant's web pages, and what is used once. */
export function describeOrigins({ useDb }: DatabaseSuite): void {
  it('are a list of each tenant, and a new one takes the place of that before [S29]', async () => {
    const db = useDb();
    const [tenantId, other] = [await createTenant(db), await createTenant(db)];
    const [first, second, third] = [newOrigin(), newOrigin(), newOrigin()].toSorted();
    if (!first || !second || !third) throw new Error('unreachable');
    await db.asTenant(tenantId, (tx) => replaceOrigins(tx, tenantId, [second, first]));
    expect(await db.readAsTenant(tenantId, listOrigins)).toEqual([first, second]);
    await db.asTenant(tenantId, (tx) => replaceOrigins(tx, tenantId, [third, second]));
    expect(await db.readAsTenant(tenantId, listOrigins)).toEqual([second, third]);
    expect(await db.readAsTenant(other, listOrigins)).toEqual([]);
  });

  it('are known by a look-up that says of any tenant only yes or no, and of one whether it is its own', async () => {
    const db = useDb();
    const [tenantId, other] = [await createTenant(db), await createTenant(db)];
    const origin = newOrigin();
    const ask = async () => [
      await isOriginAllowed(db, origin),
      await isOriginAllowed(db, origin, tenantId),
      await isOriginAllowed(db, origin, other),
    ];
    expect(await ask()).toEqual([false, false, false]);
    await db.asTenant(tenantId, (tx) => replaceOrigins(tx, tenantId, [origin]));
    expect(await ask()).toEqual([true, true, false]);
    await db.asTenant(tenantId, suspendTenant);
    expect(await isOriginAllowed(db, origin)).toBe(false);
    await db.asTenant(tenantId, restoreTenant);
    await db.asTenant(tenantId, (tx) => replaceOrigins(tx, tenantId, []));
    expect(await ask()).toEqual([false, false, false]);
  });

  it('what may be used once is used by one of many who try at the same time, in each tenant', async () => {
    const db = useDb();
    const [tenantId, other] = [await createTenant(db), await createTenant(db)];
    const use = { route: 'a ticket', sessionId: randomUUID(), key: randomUUID(), principal: 'a key' };
    const uses = await Promise.all(Array.from({ length: 8 }, () => useOnce(db, { ...use, tenantId })));
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(await useOnce(db, { ...use, tenantId: other })).toBe(true);
    expect(await useOnce(db, { ...use, tenantId, key: randomUUID() })).toBe(true);
  });
}
