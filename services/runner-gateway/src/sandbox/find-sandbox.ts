import type { Profile } from '@attache/contracts';

/** What is to be put around the agents of a profile; undefined where nothing is. */
export function findSandbox({ sandbox }: Pick<Profile, 'sandbox'>): Profile['sandbox'] {
  return sandbox === undefined || sandbox.mode === 'none' ? undefined : sandbox;
}
