import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault, type Profile, type Profiles, profileSchema, profilesFileSchema } from '@attache/contracts';
import {
  type Environment,
  httpUrl,
  integer,
  list,
  oneOf,
  readSettings,
  text,
  warnOfUnknown,
} from '@attache/operations';
import type { z } from 'zod';

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
  ATTACHE_PROFILES: text({
    meaning: 'JSON file of the profiles that are offered; those found on PATH and the example agent without it.',
  }),
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
  logLevel: string;
  profiles: Profiles;
  bundledPrograms: Record<string, readonly string[]>;
  isExportingTraces: boolean;
  inherited: { PATH: string; LANG?: string; TZ?: string };
  readVariable: (name: string) => string | undefined;
  /** For people, one line each. */
  warnings: string[];
};

const EXAMPLE_PROGRAM = 'attache-example-agent';
const exampleAgentPath = fileURLToPath(import.meta.resolve('@attache/example-agent/main'));

/** Profiles of well-known programs, offered where the program is on PATH. */
const wellKnown: Record<string, z.input<typeof profileSchema>> = {
  claude: { runtime: 'claude-stream-json', command: ['claude'], provider: 'anthropic' },
  codex: { runtime: 'codex-app-server', command: ['codex'], provider: 'openai' },
  opencode: { runtime: 'opencode-serve', command: ['opencode'] },
  pi: { runtime: 'pi-rpc', command: ['pi'] },
  gemini: { runtime: 'acp', command: ['gemini', '--acp'], provider: 'google' },
};

const exampleProfile = {
  runtime: 'acp',
  command: [EXAMPLE_PROGRAM],
  provider: 'example',
  model: 'example-vision',
} as const;

/** Runtimes that have a driver. */
const driven: ReadonlySet<string> = new Set(['acp']);

function isOnPath(program: string, path: string): boolean {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .some((folder) => {
      try {
        accessSync(join(folder, program), constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function offerKnown(path: string): { profiles: Profiles; warnings: string[] } {
  const profiles: Record<string, Profile> = { example: profileSchema.parse(exampleProfile) };
  const warnings: string[] = [];
  for (const [name, profile] of Object.entries(wellKnown)) {
    if (!isOnPath(profile.command[0] ?? '', path)) continue;
    if (driven.has(profile.runtime)) profiles[name] = profileSchema.parse(profile);
    else warnings.push(`${name} is on PATH, but its runtime ${profile.runtime} has no driver yet: it is not offered.`);
  }
  return { profiles, warnings };
}

// What a file asks for and this release does not do is refused: a setting that is ignored in silence is worse than none.
function refuseUnsupported(name: string, profile: Profile): string[] {
  const asked = [
    !driven.has(profile.runtime) && `runtime ${profile.runtime} (it has no driver yet)`,
    profile.endpoint !== undefined && 'endpoint',
    profile.workspace !== undefined && 'workspace',
    profile.permissionMode !== undefined && 'permissionMode',
    profile.limits.memoryBytes !== undefined && 'limits.memoryBytes',
    profile.limits.cpuSeconds !== undefined && 'limits.cpuSeconds',
    Object.values(profile.secretEnv).some((reference) => reference.startsWith('tenant:')) &&
      'secretEnv with tenant: (tenant secrets do not exist yet)',
  ].filter((what) => what !== false);
  return asked.map((what) => `profile ${name}: ${what} is not supported`);
}

function readProfilesFile(path: string): Profiles {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new Fault('CONFIGURATION_INVALID', `ATTACHE_PROFILES names ${path}, which cannot be read as JSON.`, {
      cause,
    });
  }
  const checked = profilesFileSchema.safeParse(parsed);
  if (!checked.success) {
    const faults = checked.error.issues.map((issue) => `  - ${issue.path.map(String).join('.')}: ${issue.message}`);
    throw new Fault('CONFIGURATION_INVALID', `The profiles in ${path} are faulty:\n${faults.join('\n')}`);
  }
  const unsupported = Object.entries(checked.data.profiles).flatMap(([name, profile]) =>
    refuseUnsupported(name, profile),
  );
  if (unsupported.length > 0) {
    throw new Fault(
      'CONFIGURATION_INVALID',
      `The profiles in ${path} ask for more than there is:\n${unsupported.map((fault) => `  - ${fault}`).join('\n')}`,
    );
  }
  return checked.data.profiles;
}

/** The embedded stack's configuration: the environment alone, all faults at once. */
export function readStandaloneConfig(environment: Environment = process.env): StandaloneConfig {
  const values = readSettings(standaloneSettings, environment);
  const path = environment.PATH ?? '/usr/local/bin:/usr/bin:/bin';
  const offered =
    values.ATTACHE_PROFILES === undefined
      ? offerKnown(path)
      : { profiles: readProfilesFile(values.ATTACHE_PROFILES), warnings: [] };
  return {
    dataDir: resolve(values.ATTACHE_DATA_DIR ?? '.attache'),
    host: values.ATTACHE_HOST ?? '127.0.0.1',
    port: values.ATTACHE_PORT ?? 4100,
    opsPort: values.ATTACHE_OPS_PORT ?? 4101,
    publicUrl: values.ATTACHE_PUBLIC_URL,
    corsOrigins: values.ATTACHE_CORS_ORIGINS ?? [],
    maxUploadBytes: values.ATTACHE_MAX_UPLOAD_BYTES ?? 0,
    logLevel: values.ATTACHE_LOG_LEVEL ?? 'warn',
    profiles: offered.profiles,
    // The same Node that runs us: the agent's own first line would look for one on PATH.
    bundledPrograms: { [EXAMPLE_PROGRAM]: [process.execPath, exampleAgentPath] },
    isExportingTraces: Boolean(
      environment.OTEL_EXPORTER_OTLP_ENDPOINT || environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    ),
    inherited: {
      PATH: path,
      ...(environment.LANG === undefined ? {} : { LANG: environment.LANG }),
      ...(environment.TZ === undefined ? {} : { TZ: environment.TZ }),
    },
    readVariable: (name) => environment[name],
    warnings: [...warnOfUnknown(Object.keys(standaloneSettings), environment), ...offered.warnings],
  };
}
