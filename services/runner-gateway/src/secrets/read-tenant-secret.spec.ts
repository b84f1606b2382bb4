import { deleteSecret, findSecret, listAudit, saveSecret } from '@attache/database';
import { generateKey } from '@attache/secrets/generate-key';
import { parseOpeningKeys, parseSealingKey, type SealingKey } from '@attache/secrets/key-text';
import { sealSecret } from '@attache/secrets/seal';
import { expect, it } from 'vitest';
import { openScene, type Scene } from '../__fixtures__/open-scene.ts';
import { readTenantSecret } from './read-tenant-secret.ts';

const pair = generateKey();
const secretKeys = parseOpeningKeys(pair.privateKey) ?? [];
const sealingKey = parseSealingKey(pair.publicKey) as SealingKey;

async function save(scene: Scene, { name = 'api', version = 1, value = 'sk-1', key = sealingKey } = {}) {
  const { tenantId, deps } = scene;
  const sealed = await sealSecret(key, { tenantId, name, version }, value);
  await deps.db.asTenant(tenantId, (tx) => saveSecret(tx, { tenantId, name, version, ...sealed }));
}

const read = ({ deps, tenantId }: Scene, name = 'api', keys = secretKeys) =>
  readTenantSecret({ ...deps, secretKeys: keys }, tenantId, name);

it('opens what is saved now: what was changed is used by the next call, what was deleted by none [BX-24]', async () => {
  const scene = await openScene();
  await save(scene);
  expect(await read(scene)).toBe('sk-1');
  await save(scene, { version: 2, value: 'sk-2' });
  expect(await read(scene)).toBe('sk-2');
  await scene.deps.db.asTenant(scene.tenantId, (tx) => deleteSecret(tx, 'api'));
  await expect(read(scene)).rejects.toMatchObject({
    code: 'SECRET_NOT_FOUND',
    message: expect.stringContaining('PUT /v1/secrets/api'),
  });
});

it("opens no other tenant's, and each its own of the same name [S29]", async () => {
  const [scene, other] = [await openScene(), await openScene()];
  await save(scene);
  await expect(read(other)).rejects.toMatchObject({ code: 'SECRET_NOT_FOUND' });
  await save(other, { value: 'sk-of-the-other' });
  expect([await read(scene), await read(other)]).toEqual(['sk-1', 'sk-of-the-other']);
});

it('keeps one use a minute, by which version it was, and never the value', async () => {
  const scene = await openScene();
  await save(scene);
  for (let use = 0; use < 5; use += 1) await read(scene);
  const audit = await scene.deps.db.readAsTenant(scene.tenantId, (tx) => listAudit(tx, { limit: 9 }));
  expect(audit).toMatchObject([
    { action: 'secret.used', actor: { id: 'runner-gateway' }, data: { name: 'api', version: 1 } },
  ]);
  const row = await scene.deps.db.readAsTenant(scene.tenantId, (tx) => findSecret(tx, 'api'));
  expect(row?.lastUsedAt).toEqual(expect.any(Date));
});

it('says which key is missing, and notes no use of what was not opened', async () => {
  const scene = await openScene();
  await save(scene);
  const other = parseOpeningKeys(generateKey().privateKey) ?? [];
  await expect(read(scene, 'api', other)).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    message: expect.stringContaining(`sealed to the key ${sealingKey.kid}, which is not in ATTACHE_SECRET_KEYS`),
  });
  await expect(read(scene, 'api', [])).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
  expect(await scene.deps.db.readAsTenant(scene.tenantId, (tx) => listAudit(tx, { limit: 9 }))).toEqual([]);
});

it("opens nothing that was sealed for another place, as one tenant's row in the place of another's", async () => {
  const [scene, other] = [await openScene(), await openScene()];
  await save(scene);
  const { db } = scene.deps;
  const row = await db.readAsTenant(scene.tenantId, (tx) => findSecret(tx, 'api'));
  if (!row) throw new Error('the secret is gone');
  const { name, version, kid, enc, ciphertext } = row;
  const moved = { tenantId: other.tenantId, name, version, kid, enc, ciphertext };
  await db.asTenant(other.tenantId, (tx) => saveSecret(tx, moved));
  await expect(read(other)).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
});
