import { randomBytes } from 'node:crypto';
import { createApiKeySecret } from '@attache/api-keys/api-key-secret';
import { generateKey } from '@attache/secrets/generate-key';

// Begins with a letter: NATS reads its configuration's variables as configuration, in which digits make a number.
const makeSecret = (byteCount = 32): string => `s${randomBytes(byteCount).toString('hex')}`;

/** Fresh random values of all variables that docker-compose.yml asks for, and a first tenant with its key. */
export function composeSecrets(): Record<string, string> {
  const { privateKey, publicKey } = generateKey();
  return {
    POSTGRES_PASSWORD: makeSecret(),
    POSTGRES_MIGRATOR_PASSWORD: makeSecret(),
    ATTACHE_DATABASE_INGEST_PASSWORD: makeSecret(),
    ATTACHE_DATABASE_PROJECTOR_PASSWORD: makeSecret(),
    ATTACHE_DATABASE_GATEWAY_PASSWORD: makeSecret(),
    ATTACHE_DATABASE_OPERATOR_PASSWORD: makeSecret(),
    NATS_INGEST_PASSWORD: makeSecret(),
    NATS_PROJECTOR_PASSWORD: makeSecret(),
    NATS_GATEWAY_PASSWORD: makeSecret(),
    ATTACHE_S3_ACCESS_KEY: makeSecret(8),
    ATTACHE_S3_SECRET_KEY: makeSecret(19),
    MINIO_INGEST_ACCESS_KEY: makeSecret(8),
    MINIO_INGEST_SECRET_KEY: makeSecret(19),
    MINIO_PROJECTOR_ACCESS_KEY: makeSecret(8),
    MINIO_PROJECTOR_SECRET_KEY: makeSecret(19),
    MINIO_GATEWAY_ACCESS_KEY: makeSecret(8),
    MINIO_GATEWAY_SECRET_KEY: makeSecret(19),
    MINIO_OPERATOR_ACCESS_KEY: makeSecret(8),
    MINIO_OPERATOR_SECRET_KEY: makeSecret(19),
    ATTACHE_SIGNING_KEYS: `k1:${makeSecret()}`,
    ATTACHE_SECRET_KEYS: privateKey,
    ATTACHE_SECRET_PUBLIC_KEY: publicKey,
    ATTACHE_INIT_TENANT: 'first',
    ATTACHE_INIT_API_KEY: createApiKeySecret().apiKey,
  };
}

// Secrets by which servers authenticate their clients. A first tenant, and keys that enable something, are never added unasked.
const isOfServer = (name: string): boolean => /^(POSTGRES|NATS|MINIO|ATTACHE_DATABASE)_/.test(name);

/** The passwords and keys of servers that an .env of an earlier release lacks. */
export function findMissingSecrets(text: string): Record<string, string> {
  const present = new Set([...text.matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name));
  const missing = Object.entries(composeSecrets()).filter(([name]) => isOfServer(name) && !present.has(name));
  return Object.fromEntries(missing);
}
