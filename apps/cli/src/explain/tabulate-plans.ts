import type { Table } from '../operator/format-table.ts';
import { UNKNOWN_PROVIDER } from './combine-rows.ts';
import { gates, groupOutcomes, type Outcome } from './group-outcomes.ts';
import type { LocalFile } from './inspect-locally.ts';
import type { ExplainedTarget } from './plan-target.ts';

/** With so few models each is named in its row. */
const FEW_MODELS = 3;

/** A row for each outcome, and lines that say what its short words mean. */
export function tabulatePlans(
  file: LocalFile,
  explained: readonly ExplainedTarget[],
): { table: Table; notes: string[] } {
  const outcomes = groupOutcomes(file, explained);
  const rows = outcomes.map((outcome) => {
    const { target, becomes, checks, how, why } = outcome;
    return [target, labelModels(outcome, outcomes), becomes, checks, how, why];
  });
  return {
    table: { columns: ['target', 'model', 'becomes', 'checks', 'how', 'why'], rows },
    notes: [
      `Checks: ${gates.join(', ')}; y yes, n no, ? not known or not reached.`,
      ...nameModels(outcomes),
      ...(explained.length === 1 ? explained.flatMap(describeOne) : []),
    ],
  };
}

/** The models of a row. The largest of several rows of a provider is that of all others. */
function labelModels({ target, provider, models }: Outcome, outcomes: readonly Outcome[]): string {
  if (provider === UNKNOWN_PROVIDER) return 'any other';
  const same = outcomes.filter((each) => each.target === target && each.provider === provider);
  const [largest] = same.toSorted((a, b) => b.models.length - a.models.length);
  if (models.length <= FEW_MODELS || largest?.models !== models) return `${provider}: ${models.join(', ')}`;
  return `${provider}: ${same.length === 1 ? 'all' : 'all others'}`;
}

/** All models of each provider of which a row says `all`. */
function nameModels(outcomes: readonly Outcome[]): string[] {
  const providers = new Set(outcomes.flatMap(({ provider, models }) => (models.length > FEW_MODELS ? [provider] : [])));
  return [...providers].map((provider) => {
    const models = outcomes.filter((outcome) => outcome.provider === provider).flatMap((outcome) => outcome.models);
    return `All of ${provider}: ${[...new Set(models)].join(', ')}.`;
  });
}

function describeOne({ plan }: ExplainedTarget): string[] {
  const warnings = plan.items.flatMap((item) => item.warnings);
  const notes = warnings.map(({ severity, message }) => `${severity === 'info' ? 'Note' : 'Warning'}: ${message}`);
  return [...notes, ...plan.failures.map(({ code }) => `Blocked, ${code}.`)];
}
