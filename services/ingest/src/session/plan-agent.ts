import {
  type Attachment,
  type Capability,
  type DeliveryPlan,
  idFromUuid,
  type Target,
  type TenantOverride,
} from '@attache/contracts';
import { type AgentRow, describeAgent, type Named, type Probes } from '@attache/database';
import { allowsOwnTools, planDelivery, refuseTarget, resolveCapability } from '@attache/domain';
import { catalog as ourCatalog } from '@attache/programs/catalog';
import type { IngestDeps } from '../ingest-deps.ts';

export type PlanDeps = Pick<IngestDeps, 'profiles' | 'catalog'> & {
  settings: Pick<IngestDeps['settings'], 'permissionMode'>;
};

/** What a target of a profile takes, as far as is known here and now. */
export function capabilityOfTarget(
  { profiles, catalog, settings }: PlanDeps,
  target: Target,
  known: { probes: Probes; override: TenantOverride | undefined },
): Capability {
  const profile = profiles[target.profile];
  const request = {
    target,
    command: profile?.command,
    declared: known.probes.get(target.profile),
    profileCapability: profile?.capability,
    override: known.override,
    lineBytes: profile?.limits.lineBytes,
    hasOwnTools: profile !== undefined && allowsOwnTools(profile, settings.permissionMode),
  };
  return resolveCapability(request, catalog ?? ourCatalog);
}

export type PlanScene = {
  named: Pick<Named, 'session' | 'probes' | 'overrides' | 'resident'>;
  text: string;
  attachments: readonly Attachment[];
  isUnknownOverridden: boolean;
};

/** What a message would become for one agent, or for the target that it is to get. */
export function planForAgent(
  deps: PlanDeps,
  agent: AgentRow,
  scene: PlanScene,
  target: Target = describeAgent(agent).target,
): DeliveryPlan {
  const agentId = idFromUuid('agent', agent.id);
  const { named, text, attachments, isUnknownOverridden } = scene;
  if (!Object.hasOwn(deps.profiles, target.profile)) return refuseTarget(agentId, target, attachments);
  return planDelivery({
    agentId,
    target,
    capability: capabilityOfTarget(deps, target, { probes: named.probes, override: named.overrides.of(target) }),
    text,
    attachments,
    conversions: named.session.conversions,
    resident: named.resident.get(agent.id) ?? {},
    isUnknownOverridden,
  });
}
