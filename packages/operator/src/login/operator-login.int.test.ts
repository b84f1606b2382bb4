import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type BlobStore, createBlobKey } from '@attache/blob-store';
import { createFileBlobStore } from '@attache/blob-store/file';
import {
  type ConsumerName,
  idFromUuid,
  type OperatorCommand,
  type OperatorInput,
  type Subject,
} from '@attache/contracts';
import {
  buryMessage,
  type Database,
  deleteAttachment,
  findAttachment,
  findDelivery,
  insertOutboxMessage,
  recordUpload,
  reserveUpload,
  saveSecret,
} from '@attache/database';
import {
  createAttachment,
  createDelivery,
  createPlace,
  newRecord,
  newReservation,
  type Place,
} from '@attache/database/contract';
import { createHostedDatabase, type HostedDatabase } from '@attache/database/contract/hosted-database';
import { connectPostgres, requireOperatorLogin } from '@attache/database/postgres';
import { generateKey } from '@attache/secrets/generate-key';
import { parseOpeningKeys } from '@attache/secrets/key-text';
import { findSealingKey } from '@attache/secrets/open';
import { sealSecret } from '@attache/secrets/seal';
import { createLogger } from '@attache/telemetry';
import type {} from '@attache/test-servers';
import { collectBlobs } from '@attache/upkeep';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { runOperatorCommand } from '../run-operator-command.ts';

const { postgres, missing } = inject('servers');
const why = missing.find(({ name }) => name === 'postgres')?.why ?? '';
const HOUR_MS = 3_600_000;

describe.skipIf(!postgres)(`commands under the login of operators ${why}`, () => {
  let database: HostedDatabase;
  let db: Database;
  /** The database for work that the services do together and operators could not. */
  let services: Database;
  let blobs: BlobStore;
  let root: string;
  const log = createLogger({ service: 'test', level: 'silent' });
  const [key] = parseOpeningKeys(generateKey().privateKey) ?? [];
  const [newest] = parseOpeningKeys(generateKey().privateKey) ?? [];
  if (!key || !newest) throw new Error('a key is not spelled as it is read');

  beforeAll(async () => {
    database = await createHostedDatabase(postgres?.superuserUrl ?? '');
    db = await connectPostgres({ url: database.urlOf('operator'), poolSize: 2 });
    services = await connectPostgres({ url: database.allUrl, poolSize: 2 });
    root = await mkdtemp(join(tmpdir(), 'attache-operator-'));
    blobs = await createFileBlobStore({ root });
  });
  afterAll(async () => {
    await Promise.all([db.close(), services.close()]);
    await database.drop();
    await rm(root, { recursive: true, force: true });
  });

  const run = <C extends OperatorCommand>(name: C, input: OperatorInput<C>) =>
    runOperatorCommand({ db, blobs, secretKeys: [newest, key], log }, name, input);
  const die = async ({ tenantId, sessionId }: Place, consumer: ConsumerName, subject: Subject, ids: object) => {
    const id = randomUUID();
    const data = { tenantId, sessionId, ...ids };
    await insertOutboxMessage(services, { id, subject, data });
    await buryMessage(services, { tenantId, id, consumer, subject, data }, { reason: 'why', attempts: 5 });
    return { tenantId: idFromUuid('tenant', tenantId), id, consumer };
  };

  it('make and change tenants and keys [S29]', async () => {
    const name = `acme-${randomBytes(4).toString('hex')}`;
    await run('tenant.create', { name });
    await run('tenant.set', { name, quotaBytes: 10, tokensPerDay: 5, maxUploadBytes: null });
    await run('tenant.endUrls', { name });
    expect(await run('tenant.revoke', { name })).toMatchObject({ tenant: { status: 'suspended' } });
    expect(await run('tenant.restore', { name })).toMatchObject({ tenant: { status: 'active', quotaBytes: 10 } });
    expect((await run('tenant.rotate', { name })).keys).toHaveLength(1);
    const made = await run('key.create', { tenant: name, name: 'second', scopes: ['read'] });
    await run('key.rotate', { tenant: name, keyId: made.key.id });
    await run('key.revoke', { tenant: name, keyId: made.key.id });
    expect((await run('key.list', { tenant: name })).items).toHaveLength(4);
    expect((await run('tenant.list', { limit: 1000 })).items.map((tenant) => tenant.name)).toContain(name);
  });

  it('say what contradicts the catalog, and take it back', async () => {
    const { tenantId } = await createPlace(services);
    const row = { runtime: 'acp', kind: 'image' } as const;
    await run('capability.contradict', { ...row, programVersion: '1', reason: 'seen' });
    expect((await run('capability.list', { tenant: `tenant-${tenantId}` })).items).toHaveLength(1);
    expect((await run('capability.restore', { ...row, tenant: `tenant-${tenantId}` })).forgottenCount).toBe(0);
    expect((await run('capability.restore', row)).restored).toHaveLength(1);
    expect((await run('capability.list', {})).items).toEqual([]);
  });

  it('put back what a death ended, and list the dead [W10]', async () => {
    const place = await createPlace(services);
    const { attachmentId } = await createAttachment(services, place);
    const { deliveryId } = await createDelivery(services, place);
    const file = await die(place, 'projector', 'attachment.added', { attachmentId });
    const delivery = await die(place, 'projector', 'delivery.queued', { deliveryId });
    expect((await run('dead.list', { limit: 10 })).items).toHaveLength(2);
    for (const letter of [file, delivery]) expect(await run('dead.replay', letter)).toEqual({ outcome: 'replayed' });
    expect(await run('dead.replayAll', {})).toEqual({ replayedCount: 0, leftCount: 0 });
    await services.asTenant(place.tenantId, async (tx) => {
      expect(await findAttachment(tx, attachmentId)).toMatchObject({ attachment: { status: 'pending' } });
      expect(await findDelivery(tx, deliveryId)).toMatchObject({ status: 'queued' });
    });
  });

  it('seal secrets again', async () => {
    const { tenantId } = await createPlace(services);
    const place = { tenantId, name: 'a', version: 1 };
    const sealed = await sealSecret(await findSealingKey(key), place, 'value');
    await services.asTenant(tenantId, (tx) => saveSecret(tx, { ...place, ...sealed }));
    expect(await run('secret.rewrap', {})).toMatchObject({ kid: newest.kid, rewrappedCount: 1, damagedCount: 0 });
  });

  it('collect what nothing uses [W12]', async () => {
    const place = await createPlace(services);
    const blobKey = createBlobKey(place.tenantId, randomBytes(16));
    const reservation = newReservation(place, { key: blobKey, storeId: blobs.id });
    const record = newRecord(reservation);
    await reserveUpload(services, reservation);
    await blobs.put(blobKey, Readable.from([randomBytes(100)]));
    await recordUpload(services, record);
    await services.asTenant(place.tenantId, (tx) => deleteAttachment(tx, record.attachmentId));
    for (const isDryRun of [true, false]) expect(await run('gc.run', { isDryRun })).toMatchObject({ deleted: 0 });
    for (const hours of [25, 30])
      await collectBlobs({ db, blobs, log }, { now: new Date(Date.now() + hours * HOUR_MS) });
    await expect(blobs.head(blobKey)).rejects.toThrow();
  });

  it('are refused under the login of a service, in a sentence that says what to do [AT-10]', async () => {
    await requireOperatorLogin(db);
    for (const service of ['ingest', 'projector', 'gateway'] as const) {
      const other = await connectPostgres({ url: database.urlOf(service), poolSize: 1 });
      const refused = requireOperatorLogin(other).finally(() => other.close());
      await expect(refused).rejects.toThrow(
        new RegExp(`login attache_operator, and ATTACHE_DATABASE_URL names attache_${service}: run attache migrate`),
      );
    }
  });
});
