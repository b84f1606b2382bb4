import {
  type Attachment,
  type AttachmentId,
  type Capability,
  type Contradiction,
  type DeliveryPlan,
  idFromUuid,
  type Target,
  type TenantOverride,
} from '@attache/contracts';
import { type AgentRow, describeAgent, type Named, type Probes } from '@attache/database';
import { allowsOwnTools, planDelivery, refuseTarget, resolveCapability } from '@attache/domain';
import { catalog as ourCatalog } from '@attache/programs/catalog';
import { digestSettings } from '@attache/programs/digest-settings';
import type { IngestDeps } from '../ingest-deps.ts';

export type PlanDeps = Pick<IngestDeps, 'profiles' | 'catalog'> & {
  settings: Pick<IngestDeps['settings'], 'permissionMode'>;
};

/** The capability of a profile's target, as far as it is known here and now. */
export function capabilityOfTarget(
  { profiles, catalog, settings }: PlanDeps,
  target: Target,
  known: { probes: Probes; override: TenantOverride | undefined; contradictions: readonly Contradiction[] },
): Capability {
  const profile = profiles[target.profile];
  const request = {
    target,
    command: profile?.command,
    declared: known.probes.get(target.profile),
    profileCapability: profile?.capability,
    override: known.override,
    contradictions: known.contradictions,
    settingsSha256: profile && known.contradictions.length > 0 ? digestSettings(profile) : undefined,
    lineBytes: profile?.limits.lineBytes,
    hasOwnTools: profile !== undefined && allowsOwnTools(profile, settings.permissionMode),
  };
  return resolveCapability(request, catalog ?? ourCatalog);
}

export type PlanContext = {
  named: Pick<Named, 'session' | 'probes' | 'overrides' | 'contradictions' | 'resident' | 'refused'>;
  text: string;
  attachments: readonly Attachment[];
  isUnknownOverridden: boolean;
};

/** Plans a message for one agent: for its present target, or for the one that it is to get. */
export function planForAgent(
  deps: PlanDeps,
  agent: AgentRow,
  context: PlanContext,
  target: Target = describeAgent(agent).target,
): DeliveryPlan {
  const agentId = idFromUuid('agent', agent.id);
  const { named, text, attachments, isUnknownOverridden } = context;
  const profile = Object.hasOwn(deps.profiles, target.profile) ? deps.profiles[target.profile] : undefined;
  if (profile === undefined) return refuseTarget(agentId, target, attachments);
  return planDelivery({
    agentId,
    target,
    capability: capabilityOfTarget(deps, target, { ...named, override: named.overrides.of(target) }),
    text,
    attachments,
    conversions: named.session.conversions,
    quarantined: findQuarantined(named.refused, target, attachments),
    resident: named.resident.get(agent.id) ?? {},
    // The relay does it: without an endpoint nothing can be taken out of what a program sends.
    setsAside: profile.endpoint !== undefined,
    isUnknownOverridden,
  });
}

/** Attachments that the target's model refused in this session, also under another id. */
function findQuarantined(
  refused: PlanContext['named']['refused'],
  target: Target,
  attachments: readonly Attachment[],
): ReadonlySet<AttachmentId> {
  const digests = new Set(refused.filter((file) => isSameTarget(file.target, target)).map(({ sha256 }) => sha256));
  return new Set(attachments.filter(({ sha256 }) => digests.has(sha256)).map(({ id }) => id));
}

const isSameTarget = (one: Target, other: Target): boolean =>
  one.profile === other.profile &&
  one.runtime === other.runtime &&
  one.provider === other.provider &&
  one.model === other.model;
