import type { Environment, SettingTable, SettingValues } from './read-settings.ts';
import { httpUrl, integer, oneOf, originList, type Setting, text, urlOf } from './setting.ts';

// Each setting that several processes have, once; an app picks those that its processes read.

const portOf = (port: number, meaning: string) =>
  integer({ default: String(port), min: 0, max: 65_535, meaning: `${meaning}; 0 picks a free one.` });

/** A number of which 0 means none. */
export const limitOf = (fallback: number, meaning: string): Setting<number> =>
  integer({ default: String(fallback), min: 0, max: 1_000_000_000, meaning: `${meaning}; 0 for no limit.` });

export const logLevelOf = (level: 'info' | 'warn') =>
  oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: level,
    meaning: 'What is logged to standard error, as one JSON line per event.',
  });

/** Settings of every process that serves HTTP of any kind. */
export const processSettings = {
  ATTACHE_HOST: text({ default: '127.0.0.1', meaning: 'Address on which the process listens.' }),
  ATTACHE_OPS_PORT: portOf(4101, 'Port of `/livez`, `/readyz` and `/metrics`, one per process'),
} as const;

export const dataDirSetting = text({
  default: '.attache',
  meaning:
    'Folder of the process. The embedded stack keeps its database, its blobs and the key file there; nothing in the folder of a hosted service outlives its use.',
});

/** The file of profiles, and the terms under which files are taken and given out. */
export const contentSettings = {
  ATTACHE_PUBLIC_URL: httpUrl({
    meaning:
      'The one source of absolute URLs: the address of ingest as clients reach it. A gateway needs it; ingest takes the address on which it listens without it.',
  }),
  ATTACHE_MAX_UPLOAD_BYTES: integer({
    default: String(25 * 1024 * 1024),
    min: 1,
    max: 5 * 1024 ** 4,
    meaning: 'Largest file in bytes, unless the tenant has a limit of its own.',
  }),
  ATTACHE_PROFILES: text({
    meaning:
      'JSON file of the profiles that are offered, the same for ingest and gateway, read again at SIGHUP. Without it, those found on PATH and the example agent.',
  }),
} as const;

/** Settings of the process that clients reach. */
export const publicSettings = {
  ATTACHE_PORT: portOf(4100, 'Port of the public HTTP service'),
  ATTACHE_CORS_ORIGINS: originList({
    meaning:
      'Origins whose pages may call the API of every tenant, e.g. `https://chat.example.com`. Without it, those of localhost on the embedded stack, and none on the hosted one. Each tenant may have more of its own.',
  }),
  ATTACHE_RATE_PER_KEY: limitOf(500, 'Requests per second of one credential, by all processes together'),
  ATTACHE_RATE_PER_TENANT: limitOf(2_000, 'Requests per second of one tenant, by all processes together'),
  ATTACHE_STREAMS_PER_KEY: limitOf(1_000, 'Event streams of one credential at a time, counted by each process'),
  ATTACHE_STREAMS_PER_TENANT: limitOf(2_000, 'Event streams of one tenant at a time, counted by each process'),
  ATTACHE_RATE_FAILED_LOGINS: limitOf(
    300,
    'Refused credentials, signatures and origins per minute of one address, by all processes together',
  ),
  ATTACHE_TRUSTED_PROXIES: integer({
    default: '0',
    min: 0,
    max: 16,
    meaning: 'How many proxies of yours stand before it and append to `X-Forwarded-For`.',
  }),
} as const;

/** Origins as browsers spell them; `localhost`: each of the same machine. */
type CorsOrigins = readonly string[] | 'localhost';

/** The terms of the public service. A limit of 0 is none. */
export type PublicConfig = {
  port: number;
  corsOrigins: CorsOrigins;
  trustedProxies: number;
  rateLimits: { perKeyPerSecond: number; perTenantPerSecond: number; failedAuthPerMinutePerAddress: number };
  streamLimits: { perKey: number; perTenant: number };
};

export function readPublicSettings(
  values: SettingValues<typeof publicSettings>,
  { corsOrigins }: { corsOrigins: CorsOrigins },
): PublicConfig {
  return {
    port: values.ATTACHE_PORT ?? 4100,
    corsOrigins: values.ATTACHE_CORS_ORIGINS ?? corsOrigins,
    trustedProxies: values.ATTACHE_TRUSTED_PROXIES ?? 0,
    rateLimits: {
      perKeyPerSecond: values.ATTACHE_RATE_PER_KEY ?? 0,
      perTenantPerSecond: values.ATTACHE_RATE_PER_TENANT ?? 0,
      failedAuthPerMinutePerAddress: values.ATTACHE_RATE_FAILED_LOGINS ?? 0,
    },
    streamLimits: {
      perKey: values.ATTACHE_STREAMS_PER_KEY ?? 0,
      perTenant: values.ATTACHE_STREAMS_PER_TENANT ?? 0,
    },
  };
}

/** Setting of processes that start agents. */
export const maxAgentsSetting = integer({
  min: 1,
  max: 100_000,
  meaning:
    'How many agents may have a process at the same time; one that rests makes room for one that is needed. Without it, as many as there are 256 MiB of free memory for.',
});

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
} as const;

export const storeSettings = {
  ATTACHE_S3_ENDPOINT: httpUrl({ isRequired: true, meaning: 'The S3 server, e.g. `https://s3.example.com`.' }),
  ATTACHE_S3_BUCKET: text({
    isRequired: true,
    meaning: 'The bucket of all blobs; it must be there, and `attache migrate` makes it.',
  }),
  ATTACHE_S3_REGION: text({ default: 'us-east-1', meaning: 'Region by which requests are signed.' }),
  ATTACHE_S3_ACCESS_KEY: text({
    isRequired: true,
    isSecret: true,
    meaning: 'Access key of the bucket, one for each service, one of operators, and one that may make it.',
  }),
  ATTACHE_S3_SECRET_KEY: text({ isRequired: true, isSecret: true, meaning: 'Secret of the access key.' }),
} as const;

/** The same settings for a process that works without them. */
export function asOptional<T extends SettingTable>(table: T): T {
  const entries = Object.entries(table).map(([name, setting]) => [name, { ...setting, isRequired: false }]);
  return Object.fromEntries(entries) as T;
}

/** Whether the environment names a collector of traces. */
export const isExportingTraces = (environment: Environment): boolean =>
  Boolean(environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
