import type { Profiles } from '@attache/contracts';
import type { Check } from './finding.ts';

/** Which profiles are offered, and what was said of those that are not. */
export function checkOfProfiles(profiles: Profiles, warnings: readonly string[]): Check {
  const names = Object.keys(profiles);
  const detail = names.length === 0 ? 'none is offered' : names.join(', ');
  return {
    name: 'profiles',
    run: async () =>
      warnings.length === 0 ? { state: 'ok', detail } : { state: 'warning', detail, fix: warnings.join(' ') },
  };
}
