import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiKeySecret } from '@attache/api-keys/api-key-secret';
import { generateKey } from '@attache/secrets/generate-key';
import { keepSecret } from './native/processes/server-folder.ts';
import type { MinioKeys } from './native/servers/make-minio-keys.ts';
import type { ServiceName } from './spawn-service.ts';

/** The secrets of one stack; a later start finds them again. */
export type StackSecrets = {
  apiKey: string;
  signingKeys: string;
  /** Both halves of one pair, one line each. */
  secretKeys: { private: string; public: string };
  owner: string;
  database: Record<ServiceName | 'operator', string>;
  nats: Record<ServiceName, string>;
  minio: MinioKeys;
};

/** Reads the secrets under `folder`, and makes those that are missing. */
export async function readStackSecrets(folder: string): Promise<StackSecrets> {
  const secretsFolder = join(folder, 'secrets');
  await mkdir(secretsFolder, { recursive: true, mode: 0o700 });
  const keep = (name: string) => keepSecret(secretsFolder, name);
  const perService = async (prefix: string): Promise<Record<ServiceName, string>> => ({
    ingest: await keep(`${prefix}-ingest`),
    projector: await keep(`${prefix}-projector`),
    'runner-gateway': await keep(`${prefix}-runner-gateway`),
  });
  // MinIO takes up to 20 characters for the one and 40 for the other.
  const keyOf = async (name: string) => ({
    accessKey: await keepSecret(secretsFolder, `minio-${name}-access-key`, () => `k${randomBytes(8).toString('hex')}`),
    secretKey: await keepSecret(secretsFolder, `minio-${name}`, () => randomBytes(20).toString('hex')),
  });
  return {
    apiKey: (await keepSecret(folder, 'api-key', () => `${createApiKeySecret().apiKey}\n`)).trim(),
    signingKeys: await keepSecret(secretsFolder, 'signing-keys', () => `k1:${randomBytes(32).toString('hex')}`),
    secretKeys: await keepPair(secretsFolder),
    owner: await keep('database-owner'),
    database: { ...(await perService('database')), operator: await keep('database-operator') },
    nats: await perService('nats'),
    minio: {
      ingest: await keyOf('ingest'),
      projector: await keyOf('projector'),
      gateway: await keyOf('gateway'),
      operator: await keyOf('operator'),
    },
  };
}

async function keepPair(folder: string): Promise<StackSecrets['secretKeys']> {
  const makePair = () => Object.values(generateKey()).join('\n');
  const [privateKey = '', publicKey = ''] = (await keepSecret(folder, 'secret-keys', makePair)).split('\n');
  return { private: privateKey, public: publicKey };
}
