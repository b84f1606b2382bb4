import { tenantSecretSchema } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database.ts';
import { describeSecret, findSecret, listSecrets, listSecretsOfOtherKeys } from '../../src/secrets/secret-reader.ts';
import { deleteSecret, holdSecrets, noteSecretUse, rewrapSecret, saveSecret } from '../../src/secrets/secret-writer.ts';
import { createTenant } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const sealedAs = (kid: string, enc: string) => ({ kid, enc, ciphertext: `text of ${enc}` });

async function save(db: Database, tenantId: string, name: string, { kid = 'k1', enc = 'one' } = {}) {
  return db.asTenant(tenantId, async (tx) => {
    const { version } = await holdSecrets(tx, name);
    return saveSecret(tx, { tenantId, name, version: version + 1, ...sealedAs(kid, enc) });
  });
}

/** Secrets of a tenant, stored sealed. */
export function describeSecrets({ useDb }: DatabaseSuite): void {
  it('are kept by name as their last version, and told without what they are sealed as [S29]', async () => {
    const db = useDb();
    const [tenantId, other] = [await createTenant(db), await createTenant(db)];
    await save(db, tenantId, 'b');
    const first = await save(db, tenantId, 'a');
    const second = await save(db, tenantId, 'a', { enc: 'two' });
    expect(second).toMatchObject({ version: 2, enc: 'two', createdAt: first.createdAt, lastUsedAt: null });
    const listed = (await db.asTenant(tenantId, listSecrets)).map(describeSecret);
    expect(listed).toMatchObject([
      { name: 'a', version: 2 },
      { name: 'b', version: 1 },
    ]);
    for (const secret of listed) expect(tenantSecretSchema.strict().parse(secret)).toEqual(secret);
    expect(await db.asTenant(tenantId, (tx) => holdSecrets(tx, 'c'))).toEqual({ version: 0, count: 2 });
    expect(await db.asTenant(other, listSecrets)).toEqual([]);
    expect(await db.asTenant(other, (tx) => findSecret(tx, 'a'))).toBeUndefined();
    expect(await db.asTenant(other, (tx) => deleteSecret(tx, 'a'))).toBeUndefined();
    expect(await db.asTenant(tenantId, (tx) => deleteSecret(tx, 'a'))).toMatchObject({ version: 2 });
    expect(await db.asTenant(tenantId, (tx) => findSecret(tx, 'a'))).toBeUndefined();
  });

  it('that are saved at once become versions one after the other', async () => {
    const db = useDb();
    const tenantId = await createTenant(db);
    const saved = await Promise.all([1, 2, 3, 4].map(() => save(db, tenantId, 'a')));
    expect(saved.map(({ version }) => version).toSorted()).toEqual([1, 2, 3, 4]);
  });

  it('keep the time of a use, at most once a minute', async () => {
    const db = useDb();
    const tenantId = await createTenant(db);
    await save(db, tenantId, 'a');
    const read = () => db.readAsTenant(tenantId, (tx) => findSecret(tx, 'a'));
    const note = () => db.asTenant(tenantId, (tx) => noteSecretUse(tx, 'a'));
    expect(await read()).toMatchObject({ isUseDue: true, lastUsedAt: null });
    expect(await note()).toBe(true);
    expect(await read()).toMatchObject({ isUseDue: false, lastUsedAt: expect.any(Date) });
    expect(await note()).toBe(false);
    const past = sql`update tenant_secret set last_used_at = now() - interval '61 seconds'`;
    await db.asTenant(tenantId, (tx) => tx.execute(past));
    expect((await read())?.isUseDue).toBe(true);
    expect(await note()).toBe(true);
    expect(await db.asTenant(tenantId, (tx) => noteSecretUse(tx, 'none'))).toBe(false);
  });

  it('are found by the keys that they are not sealed to, page by page', async () => {
    const db = useDb();
    const tenantId = await createTenant(db);
    for (const name of ['a', 'b', 'c']) await save(db, tenantId, name);
    await save(db, tenantId, 'd', { kid: 'k2' });
    const list = async (kid: string, after: string) =>
      (await db.asTenant(tenantId, (tx) => listSecretsOfOtherKeys(tx, { kid, after, limit: 2 }))).map(
        ({ name }) => name,
      );
    expect([await list('k2', ''), await list('k2', 'b'), await list('k1', '')]).toEqual([['a', 'b'], ['c'], ['d']]);
  });

  it('are sealed again only where nobody changed them meanwhile', async () => {
    const db = useDb();
    const tenantId = await createTenant(db);
    const read = () => db.asTenant(tenantId, (tx) => findSecret(tx, 'a'));
    const rewrap = (row: Awaited<ReturnType<typeof save>>) =>
      db.asTenant(tenantId, (tx) => rewrapSecret(tx, row, sealedAs('k2', 'rewrapped')));
    const first = await save(db, tenantId, 'a');
    const second = await save(db, tenantId, 'a', { enc: 'two' });
    expect(await rewrap(first)).toBe(false);
    expect(await rewrap(second)).toBe(true);
    expect(await rewrap(second)).toBe(false);
    expect(await read()).toMatchObject({ version: 2, kid: 'k2', enc: 'rewrapped', updatedAt: second.updatedAt });
    // Removed and saved again: the same version under the same key, and another value.
    await db.asTenant(tenantId, (tx) => deleteSecret(tx, 'a'));
    await save(db, tenantId, 'a', { enc: 'new' });
    expect(await rewrap(first)).toBe(false);
    expect(await read()).toMatchObject({ version: 1, enc: 'new' });
  });
}
