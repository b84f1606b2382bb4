import type { PlanChecks, TriState } from '@attache/contracts';
import { describeForm } from './describe-form.ts';
import type { LocalFile } from './inspect-locally.ts';
import { type ExplainTarget, isRuntime } from './list-targets.ts';
import type { ExplainedTarget } from './plan-target.ts';

/** The result for the models of one provider by one way, in words. */
export type Outcome = {
  target: string;
  provider: string;
  models: string[];
  becomes: string;
  checks: string;
  how: string;
  why: string;
};

export const gates: readonly (keyof PlanChecks)[] = ['decode', 'budget', 'transport', 'model', 'prepare'];
const signs: Record<TriState, string> = { yes: 'y', no: 'n', unknown: '?' };

/** One outcome for each target; models of a provider that get the same by the same way share one. */
export function groupOutcomes(file: LocalFile, explained: readonly ExplainedTarget[]): Outcome[] {
  const groups = new Map<string, Outcome>();
  for (const each of explained) {
    const outcome = toOutcome(file, each);
    const key = JSON.stringify({ ...outcome, models: [] });
    const models = [...(groups.get(key)?.models ?? []), each.target.model];
    groups.set(key, { ...outcome, models });
  }
  return [...groups.values()];
}

function toOutcome(file: LocalFile, { target, plan }: ExplainedTarget): Outcome {
  const [item] = plan.items;
  const { profile, provider, model } = target;
  if (item === undefined) throw new Error('the plan of a file has no item');
  return {
    target: nameTarget(target),
    provider,
    models: [model],
    becomes: item.becomes,
    checks: gates.map((gate) => signs[item.checks[gate]]).join(''),
    how: describeForm(item, file.mimeType),
    why: profile === undefined ? generalise(item.reason ?? '', model) : (item.reason ?? ''),
  };
}

function nameTarget({ profile, transport, program }: ExplainTarget): string {
  if (profile !== undefined) return `profile ${profile}`;
  if (!isRuntime(transport)) return `format ${transport}`;
  return program === undefined ? transport : `${transport}/${program}`;
}

/** A reason in words that hold for every model of a row: a pattern is no name. */
function generalise(why: string, model: string): string {
  return why
    .replaceAll(`he model ${model}`, 'he model')
    .replaceAll(model, 'the model')
    .replaceAll(/(^|\. )the model/g, '$1The model');
}
