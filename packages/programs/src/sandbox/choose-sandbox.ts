import type { Profile } from '@attache/contracts';
import { findProgram } from '../find-program.ts';

/** The stack's sandbox for agents whose profile does not set one. */
export type SandboxDefault = 'bubblewrap' | 'none';

type ProfileSandbox = NonNullable<Profile['sandbox']>;

/** A profile's sandbox, with what the profile leaves out. */
export type ChosenSandbox = Omit<ProfileSandbox, 'mode' | 'network'> & {
  network: NonNullable<ProfileSandbox['network']>;
};

export type SandboxChoice =
  | { status: 'none' }
  | { status: 'sandboxed'; sandbox: ChosenSandbox }
  /** Neither the profile nor what is known of its program says what its agents need to reach. */
  | { status: 'unreachable' };

type Asked = Pick<Profile, 'runtime' | 'command' | 'endpoint' | 'sandbox'>;

/** Chooses the sandbox for the agents of a profile, on a stack with this default. */
export function chooseSandbox(profile: Asked, byDefault: SandboxDefault): SandboxChoice {
  const { mode = byDefault, network, ...rest } = profile.sandbox ?? { readOnly: [] };
  if (mode === 'none') return { status: 'none' };
  // If the wrapper allows it, the agents find their model API at the relay's port; anything else that they reach is not ours to choose.
  const reached = network ?? (mode === 'command' ? 'relay' : findNetwork(profile));
  return reached === undefined
    ? { status: 'unreachable' }
    : { status: 'sandboxed', sandbox: { ...rest, network: reached } };
}

function findNetwork({ runtime, command, endpoint }: Asked): ChosenSandbox['network'] | undefined {
  if (endpoint !== undefined) return 'relay';
  const hosts = findProgram(runtime, command)?.hosts;
  if (hosts === undefined) return undefined;
  return hosts.length === 0 ? 'none' : { allow: [...hosts] };
}

/** Advice for such a profile, in a sentence. */
export const describeUnreachable = (name: string): string =>
  `The agents of the profile ${name} run in a sandbox, and nothing says what they need to reach: give the profile an "endpoint", ` +
  'or "sandbox": {"network": {"allow": ["api.example.com:443"]}}, or {"network": "none"} if they need nothing; {"mode": "none"} runs them without a sandbox.';
