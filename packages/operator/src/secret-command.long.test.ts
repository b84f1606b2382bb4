import { rm } from 'node:fs/promises';
import { type Database, findSecret, saveSecret } from '@attache/database';
import { copyPgliteFolder, createPlace } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { generateKey } from '@attache/secrets/generate-key';
import { type OpeningKey, parseOpeningKeys, type SealingKey } from '@attache/secrets/key-text';
import { findSealingKey, openSecret } from '@attache/secrets/open';
import { sealSecret } from '@attache/secrets/seal';
import { createLogger } from '@attache/telemetry';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runOperatorCommand } from './run-operator-command.ts';

// Each test has a database of its own: a rewrap is of all tenants.

const log = createLogger({ service: 'test', level: 'silent' });
let folder: string;
let db: Database;
beforeEach(async () => {
  folder = await copyPgliteFolder();
  db = await connectPglite({ folder });
});
afterEach(async () => {
  await db.close();
  await rm(folder, { recursive: true, force: true });
});

function makeKey(): OpeningKey {
  const [key] = parseOpeningKeys(generateKey().privateKey) ?? [];
  if (!key) throw new Error('a key is not spelled as it is read');
  return key;
}

const [old, newest, lost] = [makeKey(), makeKey(), makeKey()];
const rewrap = (secretKeys: OpeningKey[]) => runOperatorCommand({ db, secretKeys, log }, 'secret.rewrap', {});

async function save(tenantId: string, name: string, sealingKey: SealingKey): Promise<void> {
  const place = { tenantId, name, version: 1 };
  const sealed = await sealSecret(sealingKey, place, `value of ${name}`);
  await db.asTenant(tenantId, (tx) => saveSecret(tx, { ...place, ...sealed }));
}

const find = (tenantId: string, name: string) => db.readAsTenant(tenantId, (tx) => findSecret(tx, name));

it('seals what every tenant has to the newest key, once, with the same values', async () => {
  const tenants = [(await createPlace(db)).tenantId, (await createPlace(db)).tenantId];
  const names = Array.from({ length: 60 }, (_, index) => `s${index}`);
  for (const tenantId of tenants) for (const name of names) await save(tenantId, name, await findSealingKey(old));
  await save(tenants[0] ?? '', 'new', await findSealingKey(newest));
  const none = { changedCount: 0, missingKeys: {}, damagedCount: 0 };
  expect(await rewrap([newest, old])).toEqual({ kid: newest.kid, rewrappedCount: 120, ...none });
  for (const tenantId of tenants) {
    const row = await find(tenantId, 's7');
    if (!row) throw new Error('a secret is gone');
    expect(await openSecret([newest], row, row)).toEqual({ status: 'opened', value: 'value of s7' });
  }
  expect(await rewrap([newest])).toEqual({ kid: newest.kid, rewrappedCount: 0, ...none });
});

it('leaves what it cannot open as it is, continues with the rest, and counts by the key that is missing', async () => {
  const { tenantId } = await createPlace(db);
  await save(tenantId, 'a', await findSealingKey(lost));
  await save(tenantId, 'b', await findSealingKey(old));
  const moved = await find(tenantId, 'b');
  if (!moved) throw new Error('a secret is gone');
  const { kid, enc, ciphertext } = moved;
  await db.asTenant(tenantId, (tx) => saveSecret(tx, { tenantId, name: 'c', version: 1, kid, enc, ciphertext }));
  const [before, rewrapped] = [await find(tenantId, 'a'), await rewrap([newest, old])];
  expect(rewrapped).toEqual({
    kid: newest.kid,
    ...{ rewrappedCount: 1, changedCount: 0, missingKeys: { [lost.kid]: 1 }, damagedCount: 1 },
  });
  expect(await find(tenantId, 'a')).toEqual(before);
  expect((await rewrap([newest, old, lost])).rewrappedCount).toBe(1);
});

it('does not write over what a tenant saves meanwhile', async () => {
  const { tenantId } = await createPlace(db);
  await save(tenantId, 'a', await findSealingKey(old));
  const saving: Database = {
    ...db,
    async readAsTenant(tenant, work) {
      const read = await db.readAsTenant(tenant, work);
      if (Array.isArray(read) && read.length > 0) await save(tenantId, 'a', await findSealingKey(old));
      return read;
    },
  };
  const keys = { secretKeys: [newest, old], log };
  const counts = await runOperatorCommand({ db: saving, ...keys }, 'secret.rewrap', {});
  expect(counts).toMatchObject({ rewrappedCount: 0, changedCount: 1 });
  expect(await find(tenantId, 'a')).toMatchObject({ kid: old.kid });
  expect(await rewrap([newest, old])).toMatchObject({ rewrappedCount: 1, changedCount: 0 });
});

it('without a key is refused by the name of the setting', async () => {
  await createPlace(db);
  await expect(rewrap([])).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    message: expect.stringContaining('ATTACHE_SECRET_KEYS'),
  });
});
