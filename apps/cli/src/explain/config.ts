import {
  contentSettings,
  type Environment,
  type OfferedProfiles,
  readOfferedProfiles,
  readSettings,
} from '@attache/process-setup';

const settings = { ATTACHE_PROFILES: contentSettings.ATTACHE_PROFILES } as const;

/** The profiles that a stack started here would offer. */
export function readProfiles(environment: Environment = process.env): OfferedProfiles {
  const { ATTACHE_PROFILES: file } = readSettings(settings, environment);
  return readOfferedProfiles(file, environment.PATH ?? '/usr/local/bin:/usr/bin:/bin');
}
