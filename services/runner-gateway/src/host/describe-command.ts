import type { Profile } from '@attache/contracts';
import type { GatewaySettings } from '../gateway-deps.ts';

/** A profile's command as an argument array; a program that comes with the product is named by its own. */
export function describeCommand(
  settings: Pick<GatewaySettings, 'bundledPrograms'>,
  profile: Profile,
): readonly string[] {
  const [program = '', ...rest] = profile.command;
  const bundled = settings.bundledPrograms[program];
  return bundled ? [...bundled, ...rest] : profile.command;
}
