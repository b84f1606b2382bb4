import { MAX_SECRETS } from '@attache/contracts';
import { findSecret, listAudit } from '@attache/database';
import { generateKey } from '@attache/secrets/generate-key';
import { parseSealingKey } from '@attache/secrets/key-text';
import { expect, it } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { putSecret, readSecrets, removeSecret } from './manage-secrets.ts';

const sealingKey = parseSealingKey(generateKey().publicKey);
const depsOf = ({ deps }: Fixture) => ({ ...deps, sealingKey });

it('saves a secret sealed, a version after the other, and tells names and times alone', async () => {
  const fixture = await openFixture();
  const { caller, tenantId } = fixture;
  const deps = depsOf(fixture);
  const first = await putSecret(deps, caller, { name: 'anthropic', value: 'sk-ant-first' });
  const second = await putSecret(deps, caller, { name: 'anthropic', value: 'sk-ant-second' });
  expect([first.version, second.version, second.createdAt]).toEqual([1, 2, first.createdAt]);
  expect(await readSecrets(deps, caller)).toEqual([second]);
  const row = await deps.db.readAsTenant(tenantId, (tx) => findSecret(tx, 'anthropic'));
  expect(row).toMatchObject({ kid: sealingKey?.kid, version: 2 });
  expect(JSON.stringify([first, second, row])).not.toContain('sk-ant');
});

it('deletes one once, and knows none of another tenant', async () => {
  const [fixture, other] = [await openFixture(), await openFixture()];
  const deps = depsOf(fixture);
  await putSecret(deps, fixture.caller, { name: 'mine', value: 'sk-1' });
  await expect(removeSecret(deps, other.caller, 'mine')).rejects.toMatchObject({ code: 'SECRET_NOT_FOUND' });
  expect(await readSecrets(deps, other.caller)).toEqual([]);
  await removeSecret(deps, fixture.caller, 'mine');
  await expect(removeSecret(deps, fixture.caller, 'mine')).rejects.toMatchObject({ code: 'SECRET_NOT_FOUND' });
  const audit = await deps.db.readAsTenant(fixture.tenantId, (tx) => listAudit(tx, { limit: 9 }));
  expect(audit.map(({ action, actor, data }) => ({ action, actor, data }))).toEqual([
    { action: 'secret.deleted', actor: fixture.caller.actor, data: { name: 'mine', version: 1 } },
    { action: 'secret.saved', actor: fixture.caller.actor, data: { name: 'mine', version: 1 } },
  ]);
});

it('takes a limited number of them, and always a new version of one that is there', async () => {
  const fixture = await openFixture();
  const deps = depsOf(fixture);
  const put = (name: string) => putSecret(deps, fixture.caller, { name, value: 'v' });
  for (let index = 0; index < MAX_SECRETS; index += 1) await put(`s${index}`);
  await expect(put('one-more')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  expect((await put('s0')).version).toBe(2);
});

it('takes none where there is no key to seal to, and says what the operator has to set', async () => {
  const { deps, caller } = await openFixture();
  await expect(putSecret(deps, caller, { name: 'a', value: 'v' })).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    message: expect.stringContaining('ATTACHE_SECRET_PUBLIC_KEY'),
  });
});
