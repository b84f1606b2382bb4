import { fileURLToPath } from 'node:url';
import type { Profile, Profiles } from '@attache/contracts';
import {
  type Environment,
  nameBundledPrograms,
  type OfferedProfiles,
  type ReadVariable,
  readOfferedProfiles,
  type SecretSources,
} from '@attache/process-setup';
import { describeUndeniable, isUndeniable } from '@attache/programs/find-denial';

/**
 * For profiles that do not say. Children of several tenants share a machine: without a sandbox that separates them, the operator has to state in the
 * profile that they are trusted.
 */
export const PERMISSION_MODE = 'gated-in-sandbox';

/** The profiles that a process offers. */
export type ProfilesConfig = {
  profilesFile: string | undefined;
  profiles: Profiles;
  /** Reads them again; throws what a start would refuse. */
  readProfiles: () => OfferedProfiles;
};

/** With what their agents are started. */
export type AgentsConfig = ProfilesConfig & {
  bundledPrograms: Record<string, readonly string[]>;
  inherited: { PATH: string; LANG?: string; TZ?: string };
  readVariable: ReadVariable;
};

type WithWarnings<T> = { config: T; warnings: string[] };

export const searchPathOf = (environment: Environment): string => environment.PATH ?? '/usr/local/bin:/usr/bin:/bin';

/** Reads the profiles for a process that starts no agents: their secrets need not be there. */
export function readProfilesConfig(
  profilesFile: string | undefined,
  environment: Environment,
  secrets?: SecretSources,
): WithWarnings<ProfilesConfig> {
  const read = () => leaveOut(readOfferedProfiles(profilesFile, searchPathOf(environment), secrets));
  const { profiles, warnings } = read();
  return { config: { profilesFile, profiles, readProfiles: read }, warnings };
}

/** A profile without `permissionMode` asked for no denial: if its tools cannot be denied, it is not offered. The others are. */
function leaveOut({ profiles, warnings }: OfferedProfiles): OfferedProfiles {
  const isLeftOut = (profile: Profile) =>
    (profile.permissionMode ?? 'default') === 'default' && isUndeniable(profile, PERMISSION_MODE);
  const entries = Object.entries(profiles);
  const leftOut = entries.filter(([, profile]) => isLeftOut(profile)).map(([name]) => name);
  return {
    profiles: Object.fromEntries(entries.filter(([, profile]) => !isLeftOut(profile))),
    warnings: [...warnings, ...leftOut.map((name) => `${describeUndeniable(name)} It is not offered.`)],
  };
}

/** Reads the profiles for a process that starts agents. `needsSecrets` as soon as the process itself has started. */
export function readAgentsConfig(
  profilesFile: string | undefined,
  environment: Environment,
  { needsSecrets, opensTenantSecrets = false }: { needsSecrets: boolean; opensTenantSecrets?: boolean },
): WithWarnings<AgentsConfig> {
  const readVariable: ReadVariable = (name) => environment[name];
  const secrets = needsSecrets ? { readVariable, opensTenantSecrets } : undefined;
  const offered = readProfilesConfig(profilesFile, environment, secrets);
  const config = {
    ...offered.config,
    // The same Node that runs us: the agent's own first line would look for one on PATH.
    bundledPrograms: nameBundledPrograms({
      exampleAgent: [process.execPath, fileURLToPath(import.meta.resolve('@attache/example-agent/main'))],
      mcpBridge: [process.execPath, fileURLToPath(import.meta.resolve('@attache/agent-kit/mcp-bridge'))],
    }),
    inherited: {
      PATH: searchPathOf(environment),
      ...(environment.LANG === undefined ? {} : { LANG: environment.LANG }),
      ...(environment.TZ === undefined ? {} : { TZ: environment.TZ }),
    },
    readVariable,
  };
  return { config, warnings: offered.warnings };
}
