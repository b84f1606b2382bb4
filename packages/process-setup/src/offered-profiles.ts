import { readFileSync } from 'node:fs';
import { Fault, type Profile, type Profiles, permissionModes, profilesFileSchema } from '@attache/contracts';
import { programs as knownPrograms } from '@attache/programs';
import { drivenRuntimes } from '@attache/programs/find-program';
import { findMissingSecrets, type SecretSources } from './profile-secrets.ts';
import { offerWellKnown } from './well-known-profiles.ts';

const MCP_BRIDGE_PROGRAM = 'attache-mcp';

/** The profiles that the operator offers; `warnings` are for people, one line each. */
export type OfferedProfiles = { profiles: Profiles; warnings: string[] };

/**
 * The profiles of a file; without one, those whose programs are on the search path, and the example agent. All faults of a file at once.
 * `secrets` is given by a process that starts agents: the secrets of a file's profiles must be there.
 */
export function readOfferedProfiles(
  file: string | undefined,
  searchPath: string,
  secrets?: SecretSources,
): OfferedProfiles {
  if (file === undefined) return { profiles: offerWellKnown(searchPath), warnings: [] };
  return { profiles: readProfilesFile(file, secrets), warnings: [] };
}

function readProfilesFile(path: string, secrets: SecretSources | undefined): Profiles {
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
    const faults = checked.error.issues.map((issue) => `${issue.path.map(String).join('.')}: ${issue.message}`);
    throw refuse(`The profiles in ${path} are faulty:`, faults);
  }
  const { profiles } = checked.data;
  const faults = Object.entries(profiles).flatMap(([name, profile]) => {
    const missing = secrets === undefined ? [] : findMissingSecrets(profile, secrets);
    return [...findUnsupported(profile), ...missing].map((fault) => `profile ${name}: ${fault}`);
  });
  if (faults.length > 0) throw refuse(`The profiles in ${path} ask for more than there is:`, faults);
  return profiles;
}

function refuse(heading: string, faults: readonly string[]): Fault {
  return new Fault('CONFIGURATION_INVALID', [heading, ...faults.map((fault) => `  - ${fault}`)].join('\n'));
}

// A setting that this release does not support is refused: a setting that is ignored in silence is worse than none.
function findUnsupported(profile: Profile): string[] {
  const asked = [
    !drivenRuntimes.has(profile.runtime) && `runtime ${profile.runtime} (it has no driver yet)`,
    profile.workspace !== undefined && 'workspace',
    !permissionModes.some((mode) => mode === (profile.permissionMode ?? 'default')) &&
      `permissionMode ${profile.permissionMode} (it is one of ${permissionModes.join(', ')})`,
  ].filter((what) => what !== false);
  return [...asked.map((what) => `${what} is not supported`), ...findGivenAway(profile)];
}

// A child can reveal anything that it is given: the secret of a tenant goes to the relay and to nobody else.
function findGivenAway({ secretEnv }: Profile): string[] {
  const given = Object.entries(secretEnv).filter(([, reference]) => reference.startsWith('tenant:'));
  return given.map(
    ([name, reference]) =>
      `secretEnv.${name} names ${reference}: a secret of a tenant is taken in endpoint.apiKey only. Name the model API as the endpoint, with this as its apiKey, or use env: or file:`,
  );
}

/** The programs that come with the product under their names, each with the arguments that run it. */
export const nameBundledPrograms = (programs: {
  exampleAgent: readonly string[];
  mcpBridge: readonly string[];
}): Record<string, readonly string[]> => ({
  [nameBundledAgent()]: programs.exampleAgent,
  [MCP_BRIDGE_PROGRAM]: programs.mcpBridge,
});

function nameBundledAgent(): string {
  const name = knownPrograms.find(({ isBundled }) => isBundled)?.name;
  if (name === undefined) throw new Error('no program of agents is bundled');
  return name;
}
