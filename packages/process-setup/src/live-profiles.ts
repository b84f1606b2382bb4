import { isDeepStrictEqual } from 'node:util';
import { type Fault, isFault, type Profile, type Profiles } from '@attache/contracts';
import type { OfferedProfiles } from './offered-profiles.ts';

/** Names of profiles by what became of them. */
export type ProfileChanges = { added: string[]; removed: string[]; changed: string[] };

/** Profiles that are replaced while they are in use. */
export type LiveProfiles = {
  /** One object for good: its holder always finds the present profiles in it, and must look them up at each use. */
  readonly profiles: Profiles;
  replace(next: Profiles): ProfileChanges;
};

export function createLiveProfiles(initial: Profiles): LiveProfiles {
  const profiles: Record<string, Profile> = { ...initial };
  return {
    profiles,
    // In one synchronous step, so that nobody finds half of them.
    replace(next) {
      const changes = compareProfiles(profiles, next);
      for (const name of changes.removed) delete profiles[name];
      Object.assign(profiles, next);
      return changes;
    },
  };
}

function compareProfiles(present: Profiles, next: Profiles): ProfileChanges {
  return {
    added: Object.keys(next).filter((name) => !Object.hasOwn(present, name)),
    removed: Object.keys(present).filter((name) => !Object.hasOwn(next, name)),
    changed: Object.keys(next).filter(
      (name) => Object.hasOwn(present, name) && !isDeepStrictEqual(present[name], next[name]),
    ),
  };
}

type Log = { info(fields: object, message: string): void; warn(fields: object, message: string): void };

/** Reads the profiles again. Where they are faulty the present ones stay, and one warning names all faults. */
export function reloadProfiles({
  live,
  readProfiles,
  onReplaced = () => {},
  log,
}: {
  live: LiveProfiles;
  readProfiles: () => OfferedProfiles;
  /** Called when the new ones are in place. */
  onReplaced?: () => void;
  log: Log;
}): void {
  let next: OfferedProfiles;
  try {
    next = readProfiles();
  } catch (error) {
    if (!isFault(error, 'CONFIGURATION_INVALID')) throw error;
    log.warn({ faults: faultsOf(error) }, 'profiles.not_reloaded');
    return;
  }
  for (const warning of next.warnings) log.warn({ warning }, 'profiles.warning');
  log.info(live.replace(next.profiles), 'profiles.reloaded');
  onReplaced();
}

const faultsOf = ({ message }: Fault): string[] => message.split('\n').map((line) => line.replace(/^ {2}- /, ''));
