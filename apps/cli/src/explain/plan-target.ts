import type { PlanItem, ProjectionPlan } from '@attache/contracts';
import { planDelivery, resolveCapability } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import type { LocalFile } from './inspect-locally.ts';
import { type ExplainTarget, isRuntime } from './list-targets.ts';

/** A target with what it would get. */
export type ExplainedTarget = { target: ExplainTarget; plan: ProjectionPlan };

const NOT_ASKED = 'The agent was not asked what it carries.';

/** Plans a file in a message of its own for a target, by the rules of a delivery. */
export function planTarget(target: ExplainTarget, file: LocalFile): ExplainedTarget {
  const {
    transport,
    program,
    provider,
    model,
    command,
    capability: profileCapability,
    lineBytes,
    hasOwnTools,
  } = target;
  // Sentences about an agent name its profile: one of this program would be called so.
  const profile = target.profile ?? (isRuntime(transport) ? (program ?? transport) : undefined);
  const planned = { profile, runtime: transport, provider, model };
  const plan = planDelivery({
    target: planned,
    capability: resolveCapability(
      {
        ...{ target: planned, command, profileCapability, lineBytes, hasOwnTools },
        declared: undefined,
      },
      catalog,
    ),
    text: '',
    attachments: [file],
    conversions: 'allow',
    resident: {},
    isUnknownOverridden: false,
  });
  const isDeclaring = transport === 'acp' && file.kind !== 'text' && file.kind !== 'unsupported';
  return { target, plan: isDeclaring ? { ...plan, items: plan.items.map(addNotAsked) } : plan };
}

function addNotAsked(item: PlanItem): PlanItem {
  // Its tools are ours and its own: nothing that it would declare.
  if (item.becomes === 'tool') return item;
  return { ...item, reason: [item.reason, NOT_ASKED].filter((part) => part !== undefined).join(' ') };
}
