import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Profiles } from '@attache/contracts';
import {
  agentUserSettings,
  type Environment,
  httpUrl,
  integer,
  list,
  type MediaSettings,
  maxAgentsSetting,
  mediaSettings,
  nameBundledPrograms,
  type OfferedProfiles,
  oneOf,
  readAgentUsers,
  readMediaSettings,
  readOfferedProfiles,
  readSettings,
  text,
  type UserRange,
  warnOfUnknown,
} from '@attache/operations';

const limit = (fallback: number, meaning: string) =>
  integer({ default: String(fallback), min: 0, max: 1_000_000_000, meaning: `${meaning}; 0 for no limit.` });

/** Of profiles that do not say: their agents run as the user who started the stack. */
export const PERMISSION_MODE = 'gated';

/** Every setting of the embedded stack. */
export const standaloneSettings = {
  ATTACHE_DATA_DIR: text({ default: '.attache', meaning: 'Folder of the database, the blobs and the key file.' }),
  ATTACHE_HOST: text({ default: '127.0.0.1', meaning: 'Address on which the public HTTP service listens.' }),
  ATTACHE_PORT: integer({
    default: '4100',
    min: 0,
    max: 65_535,
    meaning: 'Port of the public HTTP service; 0 picks a free one.',
  }),
  ATTACHE_OPS_PORT: integer({
    default: '4101',
    min: 0,
    max: 65_535,
    meaning: 'Port of `/livez` and `/readyz`; 0 picks a free one.',
  }),
  ATTACHE_PUBLIC_URL: httpUrl({ meaning: 'The one source of absolute URLs; the listening address without it.' }),
  ATTACHE_CORS_ORIGINS: list({ default: '', meaning: 'Origins whose pages may call the API; none by default.' }),
  ATTACHE_MAX_UPLOAD_BYTES: integer({
    default: String(25 * 1024 * 1024),
    min: 1,
    max: 5 * 1024 ** 4,
    meaning: 'Largest upload in bytes, unless the tenant has a limit of its own.',
  }),
  ATTACHE_RATE_PER_KEY: limit(500, 'Requests per second of one credential'),
  ATTACHE_RATE_PER_TENANT: limit(2_000, 'Requests per second of one tenant'),
  ATTACHE_STREAMS_PER_KEY: limit(1_000, 'Event streams of one credential at a time'),
  ATTACHE_STREAMS_PER_TENANT: limit(2_000, 'Event streams of one tenant at a time'),
  ATTACHE_RATE_FAILED_LOGINS: limit(300, 'Refused credentials, and refused signatures, per minute of one address'),
  ATTACHE_TRUSTED_PROXIES: integer({
    default: '0',
    min: 0,
    max: 16,
    meaning: 'How many proxies of yours stand before it and append to `X-Forwarded-For`.',
  }),
  ATTACHE_PROFILES: text({
    meaning:
      'JSON file of the profiles that are offered, read again at SIGHUP; those found on PATH and the example agent without it.',
  }),
  ATTACHE_MAX_AGENTS: maxAgentsSetting,
  ...agentUserSettings,
  ...mediaSettings,
  ATTACHE_LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'warn',
    meaning: 'What is logged to standard error, as one JSON line per event.',
  }),
} as const;

export type StandaloneConfig = {
  dataDir: string;
  host: string;
  port: number;
  opsPort: number;
  publicUrl: string | undefined;
  corsOrigins: string[];
  maxUploadBytes: number;
  /** 0: no limit. */
  rateLimits: { perKeyPerSecond: number; perTenantPerSecond: number; failedAuthPerMinutePerAddress: number };
  /** 0: no limit. */
  streamLimits: { perKey: number; perTenant: number };
  trustedProxies: number;
  maxAgents: number | undefined;
  logLevel: string;
  media: MediaSettings;
  /** Users of which each sandboxed agent gets one, and media workers the last. */
  agentUsers: UserRange | undefined;
  profilesFile: string | undefined;
  profiles: Profiles;
  /** Reads them again; throws what a start would refuse. */
  readProfiles: () => OfferedProfiles;
  bundledPrograms: Record<string, readonly string[]>;
  isExportingTraces: boolean;
  inherited: { PATH: string; LANG?: string; TZ?: string };
  readVariable: (name: string) => string | undefined;
  /** For people, one line each. */
  warnings: string[];
};

const exampleAgentPath = fileURLToPath(import.meta.resolve('@attache/example-agent/main'));
const mcpBridgePath = fileURLToPath(import.meta.resolve('@attache/agent-kit/mcp-bridge'));

/** The embedded stack's configuration: the environment alone, all faults at once. */
export function readStandaloneConfig(environment: Environment = process.env): StandaloneConfig {
  const values = readSettings(standaloneSettings, environment);
  const path = environment.PATH ?? '/usr/local/bin:/usr/bin:/bin';
  const readVariable = (name: string) => environment[name];
  const readProfiles = () =>
    readOfferedProfiles(values.ATTACHE_PROFILES, path, { readVariable, opensTenantSecrets: true });
  const offered = readProfiles();
  return {
    dataDir: resolve(values.ATTACHE_DATA_DIR ?? '.attache'),
    host: values.ATTACHE_HOST ?? '127.0.0.1',
    port: values.ATTACHE_PORT ?? 4100,
    opsPort: values.ATTACHE_OPS_PORT ?? 4101,
    publicUrl: values.ATTACHE_PUBLIC_URL,
    corsOrigins: values.ATTACHE_CORS_ORIGINS ?? [],
    maxUploadBytes: values.ATTACHE_MAX_UPLOAD_BYTES ?? 0,
    rateLimits: {
      perKeyPerSecond: values.ATTACHE_RATE_PER_KEY ?? 0,
      perTenantPerSecond: values.ATTACHE_RATE_PER_TENANT ?? 0,
      failedAuthPerMinutePerAddress: values.ATTACHE_RATE_FAILED_LOGINS ?? 0,
    },
    streamLimits: {
      perKey: values.ATTACHE_STREAMS_PER_KEY ?? 0,
      perTenant: values.ATTACHE_STREAMS_PER_TENANT ?? 0,
    },
    maxAgents: values.ATTACHE_MAX_AGENTS,
    trustedProxies: values.ATTACHE_TRUSTED_PROXIES ?? 0,
    logLevel: values.ATTACHE_LOG_LEVEL ?? 'warn',
    media: readMediaSettings(values),
    agentUsers: readAgentUsers(values),
    profilesFile: values.ATTACHE_PROFILES,
    profiles: offered.profiles,
    readProfiles,
    // The same Node that runs us: the agent's own first line would look for one on PATH.
    bundledPrograms: nameBundledPrograms({
      exampleAgent: [process.execPath, exampleAgentPath],
      mcpBridge: [process.execPath, mcpBridgePath],
    }),
    isExportingTraces: Boolean(
      environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    ),
    inherited: {
      PATH: path,
      ...(environment.LANG === undefined ? {} : { LANG: environment.LANG }),
      ...(environment.TZ === undefined ? {} : { TZ: environment.TZ }),
    },
    readVariable,
    warnings: [...warnOfUnknown(Object.keys(standaloneSettings), environment), ...offered.warnings],
  };
}
