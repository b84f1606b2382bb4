import {
  agentUserSettings,
  httpUrl,
  integer,
  list,
  maxAgentsSetting,
  mediaSettings,
  oneOf,
  text,
  urlOf,
} from '@attache/operations';
import { secretKeysSetting, secretPublicKeySetting } from './secret-settings.ts';

// Every setting of the hosted services, by what it is about. A service reads the tables that it needs and warns of every other name.

const processSettings = {
  ATTACHE_HOST: text({ default: '127.0.0.1', meaning: 'Address on which the process listens.' }),
  ATTACHE_OPS_PORT: integer({
    default: '4101',
    min: 0,
    max: 65_535,
    meaning: 'Port of `/livez`, `/readyz` and `/metrics`; 0 picks a free one. One per process.',
  }),
  ATTACHE_LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    meaning: 'What is logged to standard error, as one JSON line per event.',
  }),
} as const;

export const databaseSettings = {
  ATTACHE_DATABASE_URL: urlOf(['postgres', 'postgresql'], {
    isRequired: true,
    isSecret: true,
    aliases: ['DATABASE_URL'],
    meaning:
      'Postgres 15 or newer, under the login of this service; for `attache migrate` of the owner of the database, for commands of operators `attache_operator`.',
  }),
  ATTACHE_DATABASE_DIRECT_URL: urlOf(['postgres', 'postgresql'], {
    isSecret: true,
    meaning: 'The same server without a pooler. Needed where `ATTACHE_DATABASE_URL` is a transaction-mode pooler.',
  }),
  ATTACHE_DATABASE_POOL_SIZE: integer({
    default: '10',
    min: 1,
    max: 500,
    meaning: 'Most connections of one process to the database.',
  }),
} as const;

export const storeSettings = {
  ATTACHE_S3_ENDPOINT: httpUrl({ isRequired: true, meaning: 'The S3 server, e.g. `https://s3.example.com`.' }),
  ATTACHE_S3_BUCKET: text({ isRequired: true, meaning: 'The bucket of all blobs; it must be there.' }),
  ATTACHE_S3_REGION: text({ default: 'us-east-1', meaning: 'Region by which requests are signed.' }),
  ATTACHE_S3_ACCESS_KEY: text({
    isRequired: true,
    isSecret: true,
    meaning: 'Access key of the bucket, one for each service.',
  }),
  ATTACHE_S3_SECRET_KEY: text({ isRequired: true, isSecret: true, meaning: 'Secret of the access key.' }),
} as const;

const busSettings = {
  ATTACHE_RECONCILE_SECONDS: integer({
    default: '60',
    min: 5,
    max: 86_400,
    meaning:
      'A message that was published and not handled for this long is published again; each time for twice as long.',
  }),
  ATTACHE_NATS_URL: urlOf(['nats', 'tls', 'wss', 'ws'], {
    isRequired: true,
    isSecret: true,
    aliases: ['NATS_URL'],
    meaning:
      'NATS with JetStream, 2.11.16 or newer in the 2.11 line, else 2.12.7 or newer; with the user of this service.',
  }),
} as const;

const signingSettings = {
  ATTACHE_SIGNING_KEYS: text({
    isRequired: true,
    isSecret: true,
    pattern: /^[A-Za-z0-9_-]{1,32}:[^,:]{32,}(,[A-Za-z0-9_-]{1,32}:[^,:]{32,})*$/,
    example: '`kid:secret,…` with secrets of at least 32 characters',
    meaning: 'Keys of signed URLs and session tokens, the same for ingest and gateway: the first signs, all verify.',
  }),
  ATTACHE_PUBLIC_URL: httpUrl({
    meaning: 'The one source of absolute URLs; without it the address on which ingest listens.',
  }),
  ATTACHE_MAX_UPLOAD_BYTES: integer({
    default: String(25 * 1024 * 1024),
    min: 1,
    max: 5 * 1024 ** 4,
    meaning: 'Largest file in bytes, unless the tenant has a limit of its own.',
  }),
  ATTACHE_PROFILES: text({
    meaning:
      'JSON file of the profiles that are offered, the same for ingest and gateway, read again at SIGHUP; without it those found on PATH and the example agent.',
  }),
} as const;

const folderSettings = {
  ATTACHE_DATA_DIR: text({ default: '.attache', meaning: 'Folder for files in work; nothing in it outlives its use.' }),
} as const;

const limit = (fallback: number, meaning: string) =>
  integer({ default: String(fallback), min: 0, max: 1_000_000_000, meaning: `${meaning}; 0 for none.` });

export const ingestSettings = {
  ...processSettings,
  ATTACHE_PORT: integer({
    default: '4100',
    min: 0,
    max: 65_535,
    meaning: 'Port of the public HTTP service; 0 picks a free one.',
  }),
  ATTACHE_CORS_ORIGINS: list({ default: '', meaning: 'Origins whose pages may call the API; none by default.' }),
  ATTACHE_S3_PUBLIC_ENDPOINT: httpUrl({
    meaning:
      'The S3 server as clients reach it: downloads are then redirected to it instead of passing through ingest.',
  }),
  ATTACHE_MAX_BACKLOG: limit(
    100_000,
    'Messages that may wait to be published before uploads are refused with `BACKLOG_FULL`',
  ),
  ATTACHE_RATE_PER_KEY: limit(500, 'Requests per second of one credential, by all processes together'),
  ATTACHE_RATE_PER_TENANT: limit(2_000, 'Requests per second of one tenant, by all processes together'),
  ATTACHE_STREAMS_PER_KEY: limit(1_000, 'Event streams of one credential at a time, counted by each process'),
  ATTACHE_STREAMS_PER_TENANT: limit(2_000, 'Event streams of one tenant at a time, counted by each process'),
  ATTACHE_RATE_FAILED_LOGINS: limit(
    300,
    'Refused credentials and signatures per minute of one address, by all processes together',
  ),
  ATTACHE_TRUSTED_PROXIES: integer({
    default: '0',
    min: 0,
    max: 16,
    meaning: 'How many proxies of yours stand before it and append to `X-Forwarded-For`.',
  }),
  ATTACHE_INIT_TENANT: text({ meaning: 'Name of a tenant that is made at the start if it is not there.' }),
  ATTACHE_INIT_API_KEY: text({
    isSecret: true,
    meaning: 'The API key of that tenant, `atk_…`, as `attache key generate` makes one; its scope is `admin`.',
  }),
  ATTACHE_SECRET_PUBLIC_KEY: secretPublicKeySetting,
  ...databaseSettings,
  ...busSettings,
  ...storeSettings,
  ...signingSettings,
} as const;

export const projectorSettings = {
  ...processSettings,
  ATTACHE_CONCURRENCY: integer({ default: '4', min: 1, max: 256, meaning: 'Messages in work at once.' }),
  ...agentUserSettings,
  ...mediaSettings,
  ...folderSettings,
  ...databaseSettings,
  ...busSettings,
  ...storeSettings,
} as const;

export const gatewaySettings = {
  ...processSettings,
  ATTACHE_REPLICA_ID: text({
    pattern: /^[A-Za-z0-9_-]{1,64}$/,
    example: 'letters, digits, - and _',
    meaning:
      'Name of this gateway, the same over restarts: a new life of it ends the agents of the old one. Without it, the host name. Two that run have two names.',
  }),
  ATTACHE_DRAIN_MS: integer({
    default: '25000',
    min: 0,
    max: 600_000,
    meaning: 'How long a stop waits for running turns.',
  }),
  ATTACHE_MAX_AGENTS: maxAgentsSetting,
  ATTACHE_PINNED_TENANT: text({
    meaning:
      'Name or id of the one tenant that this gateway serves; it must be there. Without it the gateway serves all, and their agents need a sandbox.',
  }),
  ATTACHE_SECRET_KEYS: secretKeysSetting,
  ...agentUserSettings,
  ...mediaSettings,
  ...folderSettings,
  ...databaseSettings,
  ...busSettings,
  ...storeSettings,
  ...signingSettings,
  ATTACHE_PUBLIC_URL: httpUrl({
    isRequired: true,
    meaning: 'The address of ingest as clients reach it: the gateway makes URLs of what agents make.',
  }),
} as const;

const password = (login: string) =>
  text({
    isSecret: true,
    pattern: /^.{16,}$/,
    example: 'at least 16 characters',
    meaning: `Password that the login \`attache_${login}\` gets; without it the login keeps what it has.`,
  });

/** What `attache migrate` reads, as the owner of the database. The store and the bus are prepared where they are set. */
export const migrateSettings = {
  ATTACHE_DATABASE_URL: databaseSettings.ATTACHE_DATABASE_URL,
  ATTACHE_DATABASE_DIRECT_URL: databaseSettings.ATTACHE_DATABASE_DIRECT_URL,
  ATTACHE_DATABASE_INGEST_PASSWORD: password('ingest'),
  ATTACHE_DATABASE_PROJECTOR_PASSWORD: password('projector'),
  ATTACHE_DATABASE_GATEWAY_PASSWORD: password('gateway'),
  ATTACHE_DATABASE_OPERATOR_PASSWORD: password('operator'),
  ATTACHE_S3_ENDPOINT: httpUrl({ meaning: 'The S3 server whose bucket is made; none is made without it.' }),
  ATTACHE_S3_BUCKET: text({ meaning: 'The bucket that is made if it is not there.' }),
  ATTACHE_S3_REGION: storeSettings.ATTACHE_S3_REGION,
  ATTACHE_S3_ACCESS_KEY: text({ isSecret: true, meaning: 'Access key that may make the bucket.' }),
  ATTACHE_S3_SECRET_KEY: text({ isSecret: true, meaning: 'Secret of the access key.' }),
} as const;
