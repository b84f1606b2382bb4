import { join } from 'node:path';
import type { RunningNats } from './native/servers/start-nats.ts';
import type { RunningObjectStore } from './native/servers/start-object-store.ts';
import type { RunningPostgres } from './native/servers/start-postgres.ts';
import type { ServiceName } from './spawn-service.ts';
import type { StackSecrets } from './stack-secrets.ts';

/** The processes of a stack that have an environment: its services, `attache migrate`, and the commands of operators. */
export type StackProcess = ServiceName | 'migrate' | 'operator';

export const DATABASE = 'attache';
export const OWNER = 'attache_migrator';

const LOGINS = {
  ingest: 'attache_ingest',
  projector: 'attache_projector',
  'runner-gateway': 'attache_gateway',
  operator: 'attache_operator',
};

const KEYS = { ingest: 'ingest', projector: 'projector', 'runner-gateway': 'gateway', operator: 'operator' } as const;

type StackServers = { postgres: RunningPostgres; nats: RunningNats; store: RunningObjectStore };

/** `hasKeys`: the store has a key for each; else all have its only one. */
export function describeEnvironments(options: {
  folder: string;
  secrets: StackSecrets;
  servers: StackServers;
  hasKeys: boolean;
}): (process: StackProcess) => Record<string, string> {
  const { folder, secrets, servers, hasKeys } = options;
  const { postgres, nats, store } = servers;
  const storeOf = ({ accessKey, secretKey }: StackSecrets['minio']['ingest']) => ({
    ATTACHE_S3_ENDPOINT: store.endpoint,
    ATTACHE_S3_BUCKET: 'attache',
    ATTACHE_S3_ACCESS_KEY: accessKey,
    ATTACHE_S3_SECRET_KEY: secretKey,
  });
  const urlOf = (user: string, password: string) => postgres.urlOf({ user, password, database: DATABASE });
  return (process) => {
    if (process === 'migrate')
      return {
        ...storeOf(store),
        ATTACHE_DATABASE_URL: urlOf(OWNER, secrets.owner),
        ATTACHE_DATABASE_INGEST_PASSWORD: secrets.database.ingest,
        ATTACHE_DATABASE_PROJECTOR_PASSWORD: secrets.database.projector,
        ATTACHE_DATABASE_GATEWAY_PASSWORD: secrets.database['runner-gateway'],
        ATTACHE_DATABASE_OPERATOR_PASSWORD: secrets.database.operator,
      };
    // The doctor looks at NATS as ingest does.
    const user = process === 'operator' ? 'ingest' : process;
    return {
      ...storeOf(hasKeys ? secrets.minio[KEYS[process]] : store),
      ATTACHE_DATABASE_URL: urlOf(LOGINS[process], secrets.database[process]),
      ATTACHE_NATS_URL: nats.url.replace('//', `//${user}:${secrets.nats[user]}@`),
      ATTACHE_SIGNING_KEYS: secrets.signingKeys,
      ATTACHE_DATA_DIR: join(folder, process),
      ...(process === 'ingest' && { ATTACHE_INIT_TENANT: 'local', ATTACHE_INIT_API_KEY: secrets.apiKey }),
      ...((process === 'ingest' || process === 'operator') && {
        ATTACHE_SECRET_PUBLIC_KEY: secrets.secretKeys.public,
      }),
      ...((process === 'runner-gateway' || process === 'operator') && {
        ATTACHE_SECRET_KEYS: secrets.secretKeys.private,
      }),
    };
  };
}
