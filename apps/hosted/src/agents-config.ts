import { fileURLToPath } from 'node:url';
import type { Profiles } from '@attache/contracts';
import { type Environment, nameBundledPrograms, type ReadVariable, readOfferedProfiles } from '@attache/operations';

/** The profiles that a process offers. */
export type ProfilesConfig = {
  profilesFile: string | undefined;
  profiles: Profiles;
  /** Reads them anew; throws what a start would refuse. */
  readProfiles: () => Profiles;
};

/** With what their agents are started. */
export type AgentsConfig = ProfilesConfig & {
  bundledPrograms: Record<string, readonly string[]>;
  inherited: { PATH: string; LANG?: string; TZ?: string };
  readVariable: ReadVariable;
};

type WithWarnings<T> = { config: T; warnings: string[] };

const searchPathOf = (environment: Environment): string => environment.PATH ?? '/usr/local/bin:/usr/bin:/bin';

/** Of a process that starts no agents: their secrets need not be there. */
export function readProfilesConfig(
  profilesFile: string | undefined,
  environment: Environment,
  readVariable?: ReadVariable,
): WithWarnings<ProfilesConfig> {
  const read = () => readOfferedProfiles(profilesFile, searchPathOf(environment), readVariable);
  const { profiles, warnings } = read();
  return { config: { profilesFile, profiles, readProfiles: () => read().profiles }, warnings };
}

/** Of a process that starts agents; `needsSecrets` as soon as it has started itself. */
export function readAgentsConfig(
  profilesFile: string | undefined,
  environment: Environment,
  { needsSecrets }: { needsSecrets: boolean },
): WithWarnings<AgentsConfig> {
  const readVariable: ReadVariable = (name) => environment[name];
  const offered = readProfilesConfig(profilesFile, environment, needsSecrets ? readVariable : undefined);
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
