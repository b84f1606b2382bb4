import { Fault, type Profiles } from '@attache/contracts';
import { chooseSandbox, describeUnreachable, type SandboxDefault } from '@attache/programs/choose-sandbox';
import type { OfferedProfiles } from './offered-profiles.ts';

/** Throws CONFIGURATION_INVALID, all faults at once, where agents would run in a sandbox and nothing says what to let them reach. */
export function requireReachable(profiles: Profiles, sandbox: SandboxDefault): void {
  const faults = Object.entries(profiles)
    .filter(([, profile]) => chooseSandbox(profile, sandbox).status === 'unreachable')
    .map(([name]) => `  - ${describeUnreachable(name)}`);
  if (faults.length > 0)
    throw new Fault('CONFIGURATION_INVALID', ['The profiles leave out what is needed:', ...faults].join('\n'));
}

/** Reads profiles again, and throws where a start would refuse them. */
export function readReachable(readProfiles: () => OfferedProfiles, sandbox: SandboxDefault): OfferedProfiles {
  const offered = readProfiles();
  requireReachable(offered.profiles, sandbox);
  return offered;
}
