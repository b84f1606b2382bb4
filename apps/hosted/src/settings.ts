import {
  agentUserSettings,
  asOptional,
  contentSettings,
  databaseSettings,
  dataDirSetting,
  httpUrl,
  integer,
  limitOf,
  logLevelOf,
  maxAgentsSetting,
  mediaSettings,
  processSettings,
  publicSettings,
  storeSettings,
  text,
  urlOf,
} from '@attache/process-setup';
import { secretKeysSetting, secretPublicKeySetting } from './secret-settings.ts';

// Every setting of the hosted services, by what it is about. A service reads the tables that it needs and warns of every other name.

const hostedSettings = { ...processSettings, ATTACHE_LOG_LEVEL: logLevelOf('info') } as const;

const poolSettings = {
  ...databaseSettings,
  ATTACHE_DATABASE_POOL_SIZE: integer({
    default: '10',
    min: 1,
    max: 500,
    meaning: 'Most connections of one process to the database.',
  }),
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
  ...contentSettings,
} as const;

export const ingestSettings = {
  ...hostedSettings,
  ...publicSettings,
  ATTACHE_S3_PUBLIC_ENDPOINT: httpUrl({
    meaning:
      'The S3 server as clients reach it: downloads are then redirected to it instead of passing through ingest.',
  }),
  ATTACHE_MAX_BACKLOG: limitOf(
    100_000,
    'Messages that may wait to be published before uploads are refused with `BACKLOG_FULL`',
  ),
  ATTACHE_INIT_TENANT: text({ meaning: 'Name of a tenant that is made at the start if it is not there.' }),
  ATTACHE_INIT_API_KEY: text({
    isSecret: true,
    meaning: 'The API key of that tenant, `atk_…`, as `attache key generate` makes one; its scope is `admin`.',
  }),
  ATTACHE_SECRET_PUBLIC_KEY: secretPublicKeySetting,
  ...poolSettings,
  ...busSettings,
  ...storeSettings,
  ...signingSettings,
} as const;

export const projectorSettings = {
  ...hostedSettings,
  ATTACHE_CONCURRENCY: integer({ default: '4', min: 1, max: 256, meaning: 'Messages in work at once.' }),
  ...agentUserSettings,
  ...mediaSettings,
  ATTACHE_DATA_DIR: dataDirSetting,
  ...poolSettings,
  ...busSettings,
  ...storeSettings,
} as const;

export const gatewaySettings = {
  ...hostedSettings,
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
  ATTACHE_DATA_DIR: dataDirSetting,
  ...poolSettings,
  ...busSettings,
  ...storeSettings,
  ...signingSettings,
  // The gateway makes URLs of what agents make, and listens on none.
  ATTACHE_PUBLIC_URL: { ...contentSettings.ATTACHE_PUBLIC_URL, isRequired: true },
} as const;

const password = (login: string) =>
  text({
    isSecret: true,
    pattern: /^.{16,}$/,
    example: 'at least 16 characters',
    meaning: `Password that the login \`attache_${login}\` gets; without it the login keeps what it has.`,
  });

/** The settings of `attache migrate`, which runs as the owner of the database. It prepares the store and the bus if they are set. */
export const migrateSettings = {
  ...databaseSettings,
  ATTACHE_DATABASE_INGEST_PASSWORD: password('ingest'),
  ATTACHE_DATABASE_PROJECTOR_PASSWORD: password('projector'),
  ATTACHE_DATABASE_GATEWAY_PASSWORD: password('gateway'),
  ATTACHE_DATABASE_OPERATOR_PASSWORD: password('operator'),
  ...asOptional(storeSettings),
} as const;
