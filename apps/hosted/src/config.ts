import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { Fault } from '@attache/contracts';
import type { SigningKeys } from '@attache/intake';
import {
  type Environment,
  isExportingTraces,
  type MediaSettings,
  type PublicConfig,
  readAgentUsers,
  readMediaSettings,
  readPublicSettings,
  readSettings,
  readTogether,
  type SettingTable,
  type SettingValues,
  type UserRange,
  warnOfUnknown,
} from '@attache/process-setup';
import type { OpeningKey, SealingKey } from '@attache/secrets/key-text';
import {
  type AgentsConfig,
  PERMISSION_MODE,
  type ProfilesConfig,
  readAgentsConfig,
  readProfilesConfig,
  searchPathOf,
} from './agents-config.ts';
import { secretKeysSetting } from './secret-settings.ts';
import { gatewaySettings, ingestSettings, migrateSettings, projectorSettings } from './settings.ts';

/** The settings of every hosted process. */
type ProcessConfig = {
  host: string;
  opsPort: number;
  logLevel: string;
  isExportingTraces: boolean;
  /** For people, one line each. */
  warnings: string[];
  database: DatabaseConfig;
  natsUrl: string;
  reconcileAfterMs: number;
  store: StoreConfig;
};

export type DatabaseConfig = { url: string; directUrl: string | undefined; poolSize: number };

export type StoreConfig = {
  endpoint: string;
  bucket: string;
  region: string;
  accessKey: string;
  secretKey: string;
  publicEndpoint: string | undefined;
};

export type IngestConfig = ProcessConfig &
  ProfilesConfig &
  PublicConfig & {
    publicUrl: string | undefined;
    maxUploadBytes: number;
    /** Undefined: no limit. */
    maxBacklog: number | undefined;
    signingKeys: SigningKeys;
    sealingKey: SealingKey | undefined;
    initTenant: { name: string; apiKey: string } | undefined;
  };

export type ProjectorConfig = ProcessConfig & {
  dataDir: string;
  concurrency: number;
  media: MediaSettings;
  /** The folders in which programs are looked for. */
  searchPath: string;
  /** Users of which media workers get one. */
  agentUsers: UserRange | undefined;
};

export type GatewayConfig = ProcessConfig &
  AgentsConfig & {
    dataDir: string;
    replicaId: string;
    /** Users of which each sandboxed agent gets one, and media workers the last. */
    agentUsers: UserRange | undefined;
    /** Name or id of the tenant whose sessions alone it takes. */
    pinnedTenant: string | undefined;
    drainMs: number;
    maxAgents: number | undefined;
    publicUrl: string | undefined;
    maxUploadBytes: number;
    signingKeys: SigningKeys;
    secretKeys: readonly OpeningKey[];
    media: MediaSettings;
  };

export type MigrateConfig = {
  database: { url: string; directUrl: string | undefined };
  servicePasswords: { ingest?: string; projector?: string; gateway?: string; operator?: string };
  store: StoreConfig | undefined;
  warnings: string[];
};

const refuse = (sentence: string): Fault => new Fault('CONFIGURATION_INVALID', sentence);

const DEFAULT_SECRETS = new Set(['minioadmin', 'password', 'postgres', 'changeme', 'attache', 'secret']);

const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(hostname);

// A well-known secret is none, except where nobody else can try it.
function refuseDefaultSecret(name: string, secret: string, hostname: string): void {
  if (isLoopback(hostname) || !DEFAULT_SECRETS.has(secret)) return;
  throw refuse(`${name} holds a well-known default, which works on loopback addresses only. Set a secret of your own.`);
}

type Common = SettingValues<Pick<typeof ingestSettings, keyof typeof ingestSettings & keyof typeof projectorSettings>>;

function readStore(values: Partial<Record<`ATTACHE_S3_${string}`, unknown>>): StoreConfig {
  const text = (name: `ATTACHE_S3_${string}`) => String(values[name] ?? '');
  const store = {
    endpoint: text('ATTACHE_S3_ENDPOINT'),
    bucket: text('ATTACHE_S3_BUCKET'),
    region: text('ATTACHE_S3_REGION'),
    accessKey: text('ATTACHE_S3_ACCESS_KEY'),
    secretKey: text('ATTACHE_S3_SECRET_KEY'),
    publicEndpoint: text('ATTACHE_S3_PUBLIC_ENDPOINT') || undefined,
  };
  refuseDefaultSecret('ATTACHE_S3_SECRET_KEY', store.secretKey, new URL(store.endpoint).hostname);
  return store;
}

function readCommon(values: Common, table: SettingTable, environment: Environment): ProcessConfig {
  const url = values.ATTACHE_DATABASE_URL ?? '';
  const { hostname, password } = new URL(url);
  refuseDefaultSecret('ATTACHE_DATABASE_URL', decodeURIComponent(password), hostname);
  return {
    host: values.ATTACHE_HOST ?? '127.0.0.1',
    opsPort: values.ATTACHE_OPS_PORT ?? 4101,
    logLevel: values.ATTACHE_LOG_LEVEL ?? 'info',
    isExportingTraces: isExportingTraces(environment),
    warnings: warnOfUnknown(namesOf(table), environment),
    database: {
      url,
      directUrl: values.ATTACHE_DATABASE_DIRECT_URL,
      poolSize: values.ATTACHE_DATABASE_POOL_SIZE ?? 10,
    },
    natsUrl: values.ATTACHE_NATS_URL ?? '',
    reconcileAfterMs: (values.ATTACHE_RECONCILE_SECONDS ?? 60) * 1000,
    store: readStore(values),
  };
}

// One environment file may serve all services: what belongs to another one is no misspelling.
const everyTable: SettingTable = { ...ingestSettings, ...projectorSettings, ...gatewaySettings, ...migrateSettings };
const namesOf = (table: SettingTable): string[] => Object.keys({ ...everyTable, ...table });

// The file is read even if other settings are faulty.
const profilesFileOf = (environment: Environment): string | undefined => environment.ATTACHE_PROFILES || undefined;

/** The keys of `kid:secret,…`, in order. */
function parseSigningKeys(text: string): SigningKeys {
  const keys = text.split(',').map((entry) => ({
    kid: entry.slice(0, entry.indexOf(':')),
    secret: Buffer.from(entry.slice(entry.indexOf(':') + 1)),
  }));
  const [first, ...rest] = keys;
  if (!first) throw refuse('ATTACHE_SIGNING_KEYS holds no key.');
  if (new Set(keys.map(({ kid }) => kid)).size < keys.length)
    throw refuse('ATTACHE_SIGNING_KEYS names one key id twice.');
  return [first, ...rest];
}

function readInitTenant(values: SettingValues<typeof ingestSettings>): IngestConfig['initTenant'] {
  const { ATTACHE_INIT_TENANT: name, ATTACHE_INIT_API_KEY: apiKey } = values;
  if (name === undefined && apiKey === undefined) return undefined;
  if (name === undefined || apiKey === undefined)
    throw refuse('ATTACHE_INIT_TENANT and ATTACHE_INIT_API_KEY go together: set both or neither.');
  return { name, apiKey };
}

/** Configuration of one ingest process: the environment alone, all faults at once. */
export function readIngestConfig(environment: Environment = process.env): IngestConfig {
  const [values, offered] = readTogether(
    () => readSettings(ingestSettings, environment),
    () => readProfilesConfig(profilesFileOf(environment), environment),
  );
  const [common, signingKeys, initTenant] = readTogether(
    () => readCommon(values, ingestSettings, environment),
    () => parseSigningKeys(values.ATTACHE_SIGNING_KEYS ?? ''),
    () => readInitTenant(values),
  );
  return {
    ...common,
    ...offered.config,
    warnings: [...common.warnings, ...offered.warnings],
    ...readPublicSettings(values, { corsOrigins: [] }),
    publicUrl: values.ATTACHE_PUBLIC_URL,
    maxUploadBytes: values.ATTACHE_MAX_UPLOAD_BYTES ?? 0,
    maxBacklog: values.ATTACHE_MAX_BACKLOG || undefined,
    signingKeys,
    sealingKey: values.ATTACHE_SECRET_PUBLIC_KEY,
    initTenant,
  };
}

/** Configuration of one projector process. */
export function readProjectorConfig(environment: Environment = process.env): ProjectorConfig {
  const values = readSettings(projectorSettings, environment);
  const [common, agentUsers] = readTogether(
    () => readCommon(values, projectorSettings, environment),
    () => readAgentUsers(values),
  );
  return {
    ...common,
    dataDir: resolve(values.ATTACHE_DATA_DIR ?? '.attache'),
    concurrency: values.ATTACHE_CONCURRENCY ?? 4,
    searchPath: searchPathOf(environment),
    agentUsers,
    media: readMediaSettings(values),
  };
}

/** In the words that a name may have. */
const nameOfHost = (): string =>
  hostname()
    .replaceAll(/[^A-Za-z0-9_-]/g, '-')
    .slice(0, 64) || 'runner-gateway';

/** Configuration of one runner-gateway process. */
export function readGatewayConfig(environment: Environment = process.env): GatewayConfig {
  const opensTenantSecrets = Boolean(environment.ATTACHE_SECRET_KEYS || environment.ATTACHE_SECRET_KEYS_FILE);
  const [values, offered] = readTogether(
    () => readSettings(gatewaySettings, environment),
    () => readAgentsConfig(profilesFileOf(environment), environment, { needsSecrets: true, opensTenantSecrets }),
  );
  const [common, signingKeys, agentUsers] = readTogether(
    () => readCommon(values, gatewaySettings, environment),
    () => parseSigningKeys(values.ATTACHE_SIGNING_KEYS ?? ''),
    () => readAgentUsers(values),
  );
  return {
    ...common,
    ...offered.config,
    warnings: [...common.warnings, ...offered.warnings],
    dataDir: resolve(values.ATTACHE_DATA_DIR ?? '.attache'),
    replicaId: values.ATTACHE_REPLICA_ID ?? nameOfHost(),
    agentUsers,
    pinnedTenant: values.ATTACHE_PINNED_TENANT,
    drainMs: values.ATTACHE_DRAIN_MS ?? 25_000,
    maxAgents: values.ATTACHE_MAX_AGENTS,
    publicUrl: values.ATTACHE_PUBLIC_URL,
    maxUploadBytes: values.ATTACHE_MAX_UPLOAD_BYTES ?? 0,
    signingKeys,
    secretKeys: values.ATTACHE_SECRET_KEYS ?? [],
    media: readMediaSettings(values),
  };
}

export type DoctorConfig = ProcessConfig &
  AgentsConfig &
  Pick<IngestConfig, 'publicUrl' | 'trustedProxies' | 'sealingKey'> &
  Pick<GatewayConfig, 'dataDir' | 'secretKeys' | 'pinnedTenant' | 'agentUsers'> & {
    profileWarnings: string[];
    /** Those that settings name, by their variables: only ingest has a public one, and which service runs here is not known. */
    ports: Readonly<Record<string, number>>;
    permissionMode: typeof PERMISSION_MODE;
  };

/** The settings of the doctor: the servers, as ingest reaches them, and the agents of this machine. */
export function readDoctorConfig(environment: Environment = process.env): DoctorConfig {
  const { ATTACHE_PINNED_TENANT, ATTACHE_AGENT_UIDS, ATTACHE_DATA_DIR } = gatewaySettings;
  const named = { ATTACHE_PINNED_TENANT, ATTACHE_AGENT_UIDS, ATTACHE_DATA_DIR };
  const ofGateway = { ATTACHE_SECRET_KEYS: secretKeysSetting, ...named };
  const table = { ...ingestSettings, ...ofGateway };
  const [values, offered] = readTogether(
    () => readSettings(table, environment),
    () => readAgentsConfig(profilesFileOf(environment), environment, { needsSecrets: false }),
  );
  const common = readCommon(values, table, environment);
  return {
    ...common,
    ...offered.config,
    dataDir: resolve(values.ATTACHE_DATA_DIR ?? '.attache'),
    ports: listNamedPorts(values, environment),
    publicUrl: values.ATTACHE_PUBLIC_URL,
    trustedProxies: values.ATTACHE_TRUSTED_PROXIES ?? 0,
    sealingKey: values.ATTACHE_SECRET_PUBLIC_KEY,
    secretKeys: values.ATTACHE_SECRET_KEYS ?? [],
    pinnedTenant: values.ATTACHE_PINNED_TENANT,
    agentUsers: readAgentUsers(values),
    profileWarnings: offered.warnings,
    permissionMode: PERMISSION_MODE,
  };
}

type Ports = Partial<Record<'ATTACHE_PORT' | 'ATTACHE_OPS_PORT', number | undefined>>;

function listNamedPorts({ ATTACHE_PORT = 0, ATTACHE_OPS_PORT = 0 }: Ports, environment: Environment) {
  return Object.fromEntries(Object.entries({ ATTACHE_PORT, ATTACHE_OPS_PORT }).filter(([name]) => environment[name]));
}

/** Configuration of `attache migrate`, run as the owner of the database. */
export function readMigrateConfig(environment: Environment = process.env): MigrateConfig {
  const values = readSettings(migrateSettings, environment);
  const named = Object.entries({
    ingest: values.ATTACHE_DATABASE_INGEST_PASSWORD,
    projector: values.ATTACHE_DATABASE_PROJECTOR_PASSWORD,
    gateway: values.ATTACHE_DATABASE_GATEWAY_PASSWORD,
    operator: values.ATTACHE_DATABASE_OPERATOR_PASSWORD,
  }).filter(([, secret]) => secret !== undefined);
  return {
    database: { url: values.ATTACHE_DATABASE_URL ?? '', directUrl: values.ATTACHE_DATABASE_DIRECT_URL },
    servicePasswords: Object.fromEntries(named),
    store: values.ATTACHE_S3_ENDPOINT === undefined ? undefined : readStore(values),
    warnings: warnOfUnknown(namesOf(migrateSettings), environment),
  };
}
