import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { drivenRuntimes, type Profile, type Profiles, profileSchema } from '@attache/contracts';

/** What the operator offers to run; `warnings` are for people, one line each. */
export type OfferedProfiles = { profiles: Profiles; warnings: string[] };

export const EXAMPLE_PROGRAM = 'attache-example-agent';

/** Profiles of well-known programs, offered where the program is on PATH. */
const wellKnown: Readonly<Record<string, (typeof profileSchema)['_input']>> = {
  claude: { runtime: 'claude-stream-json', command: ['claude'], provider: 'anthropic' },
  codex: { runtime: 'codex-app-server', command: ['codex'], provider: 'openai' },
  gemini: { runtime: 'acp', command: ['gemini', '--acp'], provider: 'google' },
  opencode: { runtime: 'acp', command: ['opencode', 'acp'] },
  'claude-acp': { runtime: 'acp', command: ['claude-agent-acp'], provider: 'anthropic' },
  'codex-acp': { runtime: 'acp', command: ['codex-acp'], provider: 'openai' },
  pi: { runtime: 'pi-rpc', command: ['pi'] },
};

const exampleProfile = {
  runtime: 'acp',
  command: [EXAMPLE_PROGRAM],
  provider: 'example',
  model: 'example-vision',
} as const;

/** Runtimes that have a driver. */
export const driven: ReadonlySet<string> = new Set(drivenRuntimes);

/** The example agent, and each well-known program that is on the search path and has a driver. */
export function offerWellKnown(searchPath: string): OfferedProfiles {
  const profiles: Record<string, Profile> = { example: profileSchema.parse(exampleProfile) };
  const warnings: string[] = [];
  for (const [name, profile] of Object.entries(wellKnown)) {
    if (!isOnPath(profile.command[0] ?? '', searchPath)) continue;
    if (driven.has(profile.runtime)) profiles[name] = profileSchema.parse(profile);
    else warnings.push(`${name} is on PATH, but its runtime ${profile.runtime} has no driver yet: it is not offered.`);
  }
  return { profiles, warnings };
}

/** The program that would have to be on PATH for a profile of this name to be offered. */
export function nameWellKnownProgram(profile: string): string | undefined {
  const known = Object.hasOwn(wellKnown, profile) ? wellKnown[profile] : undefined;
  return known !== undefined && driven.has(known.runtime) ? known.command[0] : undefined;
}

function isOnPath(program: string, searchPath: string): boolean {
  return searchPath
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
