import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Profiles } from '@attache/contracts';
import type { IngestLimits } from '@attache/ingest';
import type { MediaPoolOptions } from '@attache/media';
import {
  agentUserSettings,
  contentSettings,
  dataDirSetting,
  type Environment,
  isExportingTraces,
  logLevelOf,
  type MediaSettings,
  maxAgentsSetting,
  mediaSettings,
  nameBundledPrograms,
  type OfferedProfiles,
  type PublicConfig,
  processSettings,
  publicSettings,
  readAgentUsers,
  readMediaSettings,
  readOfferedProfiles,
  readPublicSettings,
  readSettings,
  readTogether,
  type UserRange,
  warnOfUnknown,
} from '@attache/process-setup';
import type { GatewayLimits } from '@attache/runner-gateway';

/** For profiles that do not say: their agents run as the user who started the stack. */
export const PERMISSION_MODE = 'gated';

/** Every setting of the embedded stack. */
export const standaloneSettings = {
  ATTACHE_DATA_DIR: dataDirSetting,
  ...processSettings,
  ...publicSettings,
  ...contentSettings,
  ATTACHE_MAX_AGENTS: maxAgentsSetting,
  ...agentUserSettings,
  ...mediaSettings,
  ATTACHE_LOG_LEVEL: logLevelOf('warn'),
} as const;

export type StandaloneConfig = PublicConfig & {
  dataDir: string;
  host: string;
  opsPort: number;
  publicUrl: string | undefined;
  maxUploadBytes: number;
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
  /** The real ones without it, which no setting changes. */
  limits?: StackLimits | undefined;
};

/** How long the stack waits: for tests that wait for one of these. */
export type StackLimits = IngestLimits &
  GatewayLimits & {
    /** For turns to end, at a stop. */
    drainMs?: number | undefined;
    /** For the processor time of an inspection. */
    media?: Pick<Partial<MediaPoolOptions>, 'processorTimeMs'> | undefined;
  };

const exampleAgentPath = fileURLToPath(import.meta.resolve('@attache/example-agent/main'));
const mcpBridgePath = fileURLToPath(import.meta.resolve('@attache/agent-kit/mcp-bridge'));

/** The embedded stack's configuration: the environment alone, all faults at once. */
export function readStandaloneConfig(environment: Environment = process.env): StandaloneConfig {
  const path = environment.PATH ?? '/usr/local/bin:/usr/bin:/bin';
  const readVariable = (name: string) => environment[name];
  const readProfiles = () =>
    readOfferedProfiles(environment.ATTACHE_PROFILES || undefined, path, { readVariable, opensTenantSecrets: true });
  const [values, offered] = readTogether(() => readSettings(standaloneSettings, environment), readProfiles);
  return {
    dataDir: resolve(values.ATTACHE_DATA_DIR ?? '.attache'),
    // Pages that a developer serves on the same machine.
    ...readPublicSettings(values, { corsOrigins: 'localhost' }),
    host: values.ATTACHE_HOST ?? '127.0.0.1',
    opsPort: values.ATTACHE_OPS_PORT ?? 4101,
    publicUrl: values.ATTACHE_PUBLIC_URL,
    maxUploadBytes: values.ATTACHE_MAX_UPLOAD_BYTES ?? 0,
    maxAgents: values.ATTACHE_MAX_AGENTS,
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
    isExportingTraces: isExportingTraces(environment),
    inherited: {
      PATH: path,
      ...(environment.LANG === undefined ? {} : { LANG: environment.LANG }),
      ...(environment.TZ === undefined ? {} : { TZ: environment.TZ }),
    },
    readVariable,
    warnings: [...warnOfUnknown(Object.keys(standaloneSettings), environment), ...offered.warnings],
  };
}
