import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BlobKey, BlobNotFoundError, createBlobKey } from '@attache/blob-store';
import { createS3BlobStore, ensureBucket, type S3BlobStore } from '@attache/blob-store/s3';
import { Client } from 'minio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../config.ts';
import { findNativeServers } from '../../find-servers.ts';
import { ensureServerProgram } from '../build/find-or-build-server.ts';
import { type MinioKeys, makeMinioKeys, minioKeyNames } from './make-minio-keys.ts';
import { startMinio } from './start-minio.ts';
import type { RunningObjectStore } from './start-object-store.ts';

const search = { environment: readEnvironment(), onProgress: (line: string) => process.stderr.write(`${line}\n`) };
const { programs, missing } = await findNativeServers(search, ['minio']);
const client = await ensureServerProgram({ ...search, name: 'mc' });
const why = [...missing.map((server) => server.why), ...('missing' in client ? [client.missing] : [])].join(' ');

const PART_BYTES = 6 * 1024 * 1024;
const makeKey = () => ({ accessKey: `k${randomBytes(8).toString('hex')}`, secretKey: randomBytes(20).toString('hex') });
const makeKeys = () => Object.fromEntries(minioKeyNames.map((name) => [name, makeKey()])) as MinioKeys;
const newBlobKey = () => createBlobKey(randomBytes(16).toString('hex'), randomBytes(16));

describe.skipIf(why !== '')(`the keys of services on MinIO ${why}`, () => {
  let folder: string;
  let minio: RunningObjectStore;
  let keys = makeKeys();
  const stores: S3BlobStore[] = [];
  const place = () => ({ endpoint: minio.endpoint, region: 'us-east-1', bucket: 'attache' });
  const openStore = async (name: keyof MinioKeys): Promise<S3BlobStore> => {
    const store = await createS3BlobStore({ ...place(), ...keys[name] });
    stores.push(store);
    return store;
  };
  const clientOf = (name: keyof MinioKeys) => {
    const { hostname, port } = new URL(minio.endpoint);
    const options = { endPoint: hostname, port: Number(port), useSSL: false, region: 'us-east-1' };
    return new Client({ ...options, ...keys[name] });
  };
  const refusalOf = (work: Promise<unknown>): Promise<string | undefined> =>
    work.then(
      () => undefined,
      ({ code, cause }: { code?: string; cause?: { code?: string } }) => cause?.code ?? code,
    );
  const make = () => {
    const program = 'program' in client ? client.program : '';
    return makeMinioKeys({ client: program, minio, keys, folder, searchPath: readEnvironment().PATH ?? '' });
  };
  const putText = (store: S3BlobStore, key: BlobKey) =>
    store.put(
      key,
      (async function* () {
        yield Buffer.from('text');
      })(),
    );
  const readText = async (store: S3BlobStore, key: BlobKey) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of await store.get(key)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'attache-keys-'));
    minio = await startMinio({ program: programs.minio ?? '' });
    await ensureBucket({ ...place(), accessKey: minio.accessKey, secretKey: minio.secretKey });
    await make();
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await minio?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['ingest', 'projector', 'gateway'] as const)(
    'let %s do all that a blob store does: put in one and in parts, read, find nothing, delete, look whether it works',
    async (name) => {
      const store = await openStore(name);
      expect((await store.checkServer()).clockSkewMs).toBe(0);
      await store.checkReady();
      const key = newBlobKey();
      await putText(store, key);
      expect(await readText(store, key)).toBe('text');
      const large = newBlobKey();
      await store.put(
        large,
        (async function* () {
          for (let part = 0; part < 3; part += 1) yield randomBytes(PART_BYTES);
        })(),
      );
      expect(await store.head(large)).toMatchObject({ sizeBytes: 3 * PART_BYTES });
      await store.delete(large);
      await store.delete(key);
      await expect(store.head(key)).rejects.toThrow(BlobNotFoundError);
      await expect(store.get(key)).rejects.toThrow(BlobNotFoundError);
    },
  );

  it('let the projector alone look for uploads that nobody finished', async () => {
    expect(await (await openStore('projector')).sweepMultiparts({ olderThanMs: 0 })).toBe(0);
    for (const name of ['ingest', 'gateway', 'operator'] as const)
      await expect((await openStore(name)).sweepMultiparts({ olderThanMs: 0 })).rejects.toMatchObject({
        code: 'STORAGE_UNAVAILABLE',
      });
  });

  it('let operators read and delete, and store no blob', async () => {
    const key = newBlobKey();
    await putText(await openStore('ingest'), key);
    const store = await openStore('operator');
    expect((await store.checkServer()).clockSkewMs).toBe(0);
    expect(await readText(store, key)).toBe('text');
    expect(await refusalOf(putText(store, newBlobKey()))).toBe('AccessDenied');
    await store.delete(key);
    await expect(store.head(key)).rejects.toThrow(BlobNotFoundError);
  });

  it.each(minioKeyNames)(
    'let %s list no object, and touch neither the bucket, another one nor a policy',
    async (name) => {
      const s3 = clientOf(name);
      const listed = new Promise((done, fail) =>
        s3.listObjectsV2('attache', '', true).on('end', done).on('error', fail).resume(),
      );
      expect(await refusalOf(listed)).toBe('AccessDenied');
      expect(await refusalOf(s3.removeBucket('attache'))).toBe('AccessDenied');
      expect(await refusalOf(s3.makeBucket(`other-${name}`))).toBe('AccessDenied');
      expect(await refusalOf(s3.setBucketPolicy('attache', '{}'))).toBe('AccessDenied');
      expect(await refusalOf(s3.putObject('elsewhere', 'x', 'x'))).toBe('AccessDenied');
    },
  );

  it('of which one can be ended alone: a new one of the gateway takes the place of its old one', async () => {
    const before = keys;
    const [old, ingest] = [await openStore('gateway'), await openStore('ingest')];
    keys = { ...before, gateway: makeKey() };
    await make();
    const key = newBlobKey();
    await putText(ingest, key);
    expect(await refusalOf(readText(old, key))).toBe('InvalidAccessKeyId');
    expect(await readText(await openStore('gateway'), key)).toBe('text');
    // Again changes nothing.
    await make();
    expect(await readText(await openStore('projector'), key)).toBe('text');
  });
});
