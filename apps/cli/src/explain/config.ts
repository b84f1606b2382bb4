import { type Environment, type OfferedProfiles, readOfferedProfiles, readSettings, text } from '@attache/operations';

const settings = {
  ATTACHE_PROFILES: text({
    meaning: 'JSON file of the profiles; those found on PATH and the example agent without it.',
  }),
} as const;

/** The profiles that a stack started here would offer. */
export function readProfiles(environment: Environment = process.env): OfferedProfiles {
  const { ATTACHE_PROFILES: file } = readSettings(settings, environment);
  return readOfferedProfiles(file, environment.PATH ?? '/usr/local/bin:/usr/bin:/bin');
}
