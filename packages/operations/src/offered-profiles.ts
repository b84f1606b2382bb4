import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import {
  drivenRuntimes,
  Fault,
  type Profile,
  type Profiles,
  permissionModes,
  profileSchema,
  profilesFileSchema,
} from '@attache/contracts';

/** What the operator offers to run; `warnings` are for people, one line each. */
export type OfferedProfiles = { profiles: Profiles; warnings: string[] };

const EXAMPLE_PROGRAM = 'attache-example-agent';
const MCP_BRIDGE_PROGRAM = 'attache-mcp';

/** Profiles of well-known programs, offered where the program is on PATH. */
const wellKnown: Record<string, (typeof profileSchema)['_input']> = {
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
const driven: ReadonlySet<string> = new Set(drivenRuntimes);

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

function offerKnown(path: string): OfferedProfiles {
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
    profile.workspace !== undefined && 'workspace',
    !permissionModes.some((mode) => mode === (profile.permissionMode ?? 'default')) &&
      `permissionMode ${profile.permissionMode} (it is one of ${permissionModes.join(', ')})`,
    [...Object.values(profile.secretEnv), profile.endpoint?.apiKey ?? ''].some((reference) =>
      reference.startsWith('tenant:'),
    ) && 'a secret of tenant: (tenant secrets do not exist yet)',
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

/** The profiles of a file; without one, those whose programs are on the search path, and the example agent. */
export function readOfferedProfiles(file: string | undefined, searchPath: string): OfferedProfiles {
  return file === undefined ? offerKnown(searchPath) : { profiles: readProfilesFile(file), warnings: [] };
}

/** The programs that come with the product under their names, each with the arguments that run it. */
export const nameBundledPrograms = (programs: {
  exampleAgent: readonly string[];
  mcpBridge: readonly string[];
}): Record<string, readonly string[]> => ({
  [EXAMPLE_PROGRAM]: programs.exampleAgent,
  [MCP_BRIDGE_PROGRAM]: programs.mcpBridge,
});
