import type { Catalog, ModelRow, TransportRow } from '@attache/domain';
import { programs } from '@attache/programs';

/** A way to a model, with one of the models to which it leads; without `model` nothing is known of it. */
export type Combination = { transport: TransportRow; provider: string; model: ModelRow | undefined };

/** The names that are used if nothing is known of the model. */
export const UNKNOWN_PROVIDER = 'unknown';
export const UNKNOWN_MODEL = 'unknown-model';

/** The makers of the models that a format is used with, by the start of its name. */
const providersOfFormat = ['anthropic', 'openai', 'google'] as const;

/** Every way of the catalog with every model that it can be used with. A way of which that is not known is there once. */
export function combineRows({ transports, models }: Pick<Catalog, 'transports' | 'models'>): Combination[] {
  return transports.flatMap((transport): Combination[] => {
    const providers = providersOf(transport, transports);
    if (providers.length === 0) return [{ transport, provider: UNKNOWN_PROVIDER, model: undefined }];
    return providers.flatMap((provider) =>
      models.filter((model) => model.provider === provider).map((model) => ({ transport, provider, model })),
    );
  });
}

function providersOf(row: TransportRow, rows: readonly TransportRow[]): readonly string[] {
  if (row.providers !== undefined) return row.providers;
  const program = programs.find((each) => each.rows.includes(row));
  const known = program?.providers ?? providersOfFormat.filter((provider) => row.transport.startsWith(provider));
  const claimed = rows
    .filter(({ transport, program }) => transport === row.transport && program === row.program)
    .flatMap(({ providers = [] }) => providers);
  return known.filter((provider) => !claimed.includes(provider));
}
