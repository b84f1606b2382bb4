import type { Capability } from '@attache/contracts';
import { describeAgent, type NextDelivery } from '@attache/database';
import { resolveCapability } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import type { OwningDeps } from '../gateway-deps.ts';

/** The capability of an agent, by its profile, its program's own report and the catalog. */
export function capabilityOf(
  deps: Pick<OwningDeps, 'profiles'>,
  { agent, probes }: Pick<NextDelivery, 'agent' | 'probes'>,
): Capability {
  const profile = deps.profiles[agent.profile];
  return resolveCapability(
    {
      target: describeAgent(agent).target,
      command: profile?.command,
      declared: probes.get(agent.profile),
      profileCapability: profile?.capability,
      lineBytes: profile?.limits.lineBytes,
    },
    catalog,
  );
}
