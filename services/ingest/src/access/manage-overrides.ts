import {
  type Capability,
  type CapabilityOverride,
  Fault,
  type OverrideRequest,
  type Target,
  type TargetRequest,
} from '@attache/contracts';
import {
  appendAudit,
  deleteOverride,
  findOverride,
  type OverrideRow,
  readContradictions,
  readNewestProbes,
  saveOverride,
} from '@attache/database';
import { checkOverride } from '@attache/domain';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { resolveTargetOrRefuse } from '../session/create-session.ts';
import { capabilityOfTarget } from '../session/plan-agent.ts';

type OverrideDeps = Pick<IngestDeps, 'db' | 'profiles' | 'settings'>;

function flatten({ limits, ...said }: CapabilityOverride): Record<string, number | boolean> {
  const entries = Object.entries({ ...said, ...limits });
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** The abilities of a profile's model, for this tenant. */
export async function readCapability(
  deps: OverrideDeps,
  { tenantId }: Caller,
  request: TargetRequest,
): Promise<{ target: Target; capability: Capability }> {
  const target = resolveTargetOrRefuse(deps, request);
  const known = await deps.db.asTenant(tenantId, async (tx) => ({
    probes: await readNewestProbes(tx, [target.profile]),
    override: await findOverride(tx, target),
    contradictions: await readContradictions(tx),
  }));
  return { target, capability: capabilityOfTarget(deps, target, known) };
}

/** Keeps the tenant's statement about a profile's model; refuses one that contradicts known facts. */
export async function putOverride(
  deps: OverrideDeps,
  caller: Caller,
  request: TargetRequest & OverrideRequest,
): Promise<OverrideRow> {
  const { tenantId, actor } = caller;
  const target = resolveTargetOrRefuse(deps, request);
  const { profile, model } = target;
  const { capability, reason } = request;
  return deps.db.asTenant(tenantId, async (tx) => {
    const probes = await readNewestProbes(tx, [profile]);
    const known = { probes, override: undefined, contradictions: await readContradictions(tx) };
    const fault = checkOverride(capabilityOfTarget(deps, target, known), capability);
    if (fault !== undefined) throw new Fault('INVALID_REQUEST', fault);
    await saveOverride(tx, { tenantId, profile, model, capability, reason, author: actor });
    const data = { profile, model, ...flatten(capability) };
    await appendAudit(tx, { tenantId, actor, action: 'capability.overridden', data });
    const row = await findOverride(tx, target);
    if (!row) throw new Error('an override is not there after it was saved');
    return row;
  });
}

/** Revokes an override; the catalog applies again. Nothing happens if there is none. */
export async function removeOverride(deps: OverrideDeps, caller: Caller, request: TargetRequest): Promise<void> {
  const { tenantId, actor } = caller;
  const { profile, model } = resolveTargetOrRefuse(deps, request);
  await deps.db.asTenant(tenantId, async (tx) => {
    if (!(await deleteOverride(tx, { profile, model }))) return;
    await appendAudit(tx, { tenantId, actor, action: 'capability.restored', data: { profile, model } });
  });
}
