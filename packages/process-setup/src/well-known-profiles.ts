import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Profile, type Profiles, profileSchema } from '@attache/contracts';
import { programs } from '@attache/programs';

/** Every bundled program, and each well-known one that is on the search path. */
export function offerWellKnown(searchPath: string): Profiles {
  const profiles: Record<string, Profile> = {};
  for (const { runtime, profile, isBundled } of programs) {
    if (profile === undefined) continue;
    const { name, ...named } = profile;
    if (isBundled || isOnPath(named.command[0] ?? '', searchPath))
      profiles[name] = profileSchema.parse({ runtime, ...named });
  }
  return profiles;
}

/** The program that would have to be on PATH for a profile of this name to be offered. */
export function nameWellKnownProgram(profile: string): string | undefined {
  return programs.find((each) => each.profile?.name === profile)?.profile?.command[0];
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
