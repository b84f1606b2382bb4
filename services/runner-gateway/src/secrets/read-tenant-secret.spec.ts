import { deleteSecret, findSecret, listAudit, saveSecret } from '@attache/database';
import { generateKey } from '@attache/secrets/generate-key';
import { parseOpeningKeys, parseSealingKey, type SealingKey } from '@attache/secrets/key-text';
import { sealSecret } from '@attache/secrets/seal';
import { expect, it } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { readTenantSecret } from './read-tenant-secret.ts';

const pair = generateKey();
const secretKeys = parseOpeningKeys(pair.privateKey) ?? [];
const sealingKey = parseSealingKey(pair.publicKey) as SealingKey;

async function save(fixture: Fixture, { name = 'api', version = 1, value = 'sk-1', key = sealingKey } = {}) {
  const { tenantId, deps } = fixture;
  const sealed = await sealSecret(key, { tenantId, name, version }, value);
  await deps.db.asTenant(tenantId, (tx) => saveSecret(tx, { tenantId, name, version, ...sealed }));
}

const read = ({ deps, tenantId }: Fixture, name = 'api', keys = secretKeys) =>
  readTenantSecret({ ...deps, secretKeys: keys }, tenantId, name);

it('opens what is saved now: what was changed is used by the next call, what was deleted by none [BX-24]', async () => {
  const fixture = await openFixture();
  await save(fixture);
  expect(await read(fixture)).toBe('sk-1');
  await save(fixture, { version: 2, value: 'sk-2' });
  expect(await read(fixture)).toBe('sk-2');
  await fixture.deps.db.asTenant(fixture.tenantId, (tx) => deleteSecret(tx, 'api'));
  await expect(read(fixture)).rejects.toMatchObject({
    code: 'SECRET_NOT_FOUND',
    message: expect.stringContaining('PUT /v1/secrets/api'),
  });
});

it("opens no other tenant's, and each its own of the same name [S29]", async () => {
  const [fixture, other] = [await openFixture(), await openFixture()];
  await save(fixture);
  await expect(read(other)).rejects.toMatchObject({ code: 'SECRET_NOT_FOUND' });
  await save(other, { value: 'sk-of-the-other' });
  expect([await read(fixture), await read(other)]).toEqual(['sk-1', 'sk-of-the-other']);
});

it('keeps one use a minute, by which version it was, and never the value', async () => {
  const fixture = await openFixture();
  await save(fixture);
  for (let use = 0; use < 5; use += 1) await read(fixture);
  const audit = await fixture.deps.db.readAsTenant(fixture.tenantId, (tx) => listAudit(tx, { limit: 9 }));
  expect(audit).toMatchObject([
    { action: 'secret.used', actor: { id: 'runner-gateway' }, data: { name: 'api', version: 1 } },
  ]);
  const row = await fixture.deps.db.readAsTenant(fixture.tenantId, (tx) => findSecret(tx, 'api'));
  expect(row?.lastUsedAt).toEqual(expect.any(Date));
});

it('says which key is missing, and notes no use of what was not opened', async () => {
  const fixture = await openFixture();
  await save(fixture);
  const other = parseOpeningKeys(generateKey().privateKey) ?? [];
  await expect(read(fixture, 'api', other)).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    message: expect.stringContaining(`sealed to the key ${sealingKey.kid}, which is not in ATTACHE_SECRET_KEYS`),
  });
  await expect(read(fixture, 'api', [])).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
  expect(await fixture.deps.db.readAsTenant(fixture.tenantId, (tx) => listAudit(tx, { limit: 9 }))).toEqual([]);
});

it("opens nothing that was sealed for another place, as one tenant's row in the place of another's", async () => {
  const [fixture, other] = [await openFixture(), await openFixture()];
  await save(fixture);
  const { db } = fixture.deps;
  const row = await db.readAsTenant(fixture.tenantId, (tx) => findSecret(tx, 'api'));
  if (!row) throw new Error('the secret is gone');
  const { name, version, kid, enc, ciphertext } = row;
  const moved = { tenantId: other.tenantId, name, version, kid, enc, ciphertext };
  await db.asTenant(other.tenantId, (tx) => saveSecret(tx, moved));
  await expect(read(other)).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
});
