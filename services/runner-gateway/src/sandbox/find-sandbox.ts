import type { Profile } from '@attache/contracts';
import { type ChosenSandbox, chooseSandbox } from '@attache/programs/choose-sandbox';
import type { GatewaySettings } from '../gateway-deps.ts';

/** The sandbox for the agents of a profile; undefined if it has none. If nothing says which hosts they may reach, they reach none. */
export function findSandbox(
  settings: Pick<GatewaySettings, 'sandbox'>,
  profile: Pick<Profile, 'runtime' | 'command' | 'endpoint' | 'sandbox'>,
): ChosenSandbox | undefined {
  const choice = chooseSandbox(profile, settings.sandbox);
  if (choice.status === 'unreachable') return { ...profile.sandbox, readOnly: [], network: 'none' };
  return choice.status === 'sandboxed' ? choice.sandbox : undefined;
}
