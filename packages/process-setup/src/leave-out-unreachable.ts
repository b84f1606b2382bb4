import { chooseSandbox, describeUnreachable, type SandboxDefault } from '@attache/programs/choose-sandbox';
import type { OfferedProfiles } from './offered-profiles.ts';

/** Leaves out profiles whose agents would run in a sandbox while nothing says what to let them reach; one warning names each, and what to write. */
export function leaveOutUnreachable({ profiles, warnings }: OfferedProfiles, sandbox: SandboxDefault): OfferedProfiles {
  const isReachable = (name: string) =>
    profiles[name] !== undefined && chooseSandbox(profiles[name], sandbox).status !== 'unreachable';
  const leftOut = Object.keys(profiles).filter((name) => !isReachable(name));
  return {
    profiles: Object.fromEntries(Object.entries(profiles).filter(([name]) => isReachable(name))),
    warnings: [...warnings, ...leftOut.map((name) => `${describeUnreachable(name)} It is not offered.`)],
  };
}
