import type { PlanTarget } from '@attache/contracts';
import type { Catalog, ModelRow, TransportRow } from './catalog-row.ts';
import { notCarried } from './catalog-row.ts';

const unlisted = { source: 'unknown', note: 'The catalog has no row for it.' } as const;

/** The row for a transport that the catalog does not list: all its abilities are unknown. */
export const unlistedTransport: Pick<
  TransportRow,
  'kinds' | 'embeddedContext' | 'forwardsNative' | 'tools' | 'readsFiles' | 'evidence'
> = {
  kinds: {
    image: { carried: 'unknown' },
    document: notCarried,
    text: { carried: 'unknown' },
    audio: notCarried,
    video: notCarried,
  },
  embeddedContext: 'unknown',
  forwardsNative: false,
  tools: 'no',
  evidence: unlisted,
};

/** The row for a model that the catalog does not list: it can read text; nothing else is known of it. The limits hold for every provider's images. */
export const unlistedModel: Pick<ModelRow, 'kinds' | 'evidence'> = {
  kinds: {
    image: { taken: 'unknown', maxInlineBytes: 3_538_944, maxCount: 20, maxEdgePixels: 2000 },
    document: { taken: 'unknown', maxPages: 100, maxInlineBytes: 20 * 1024 * 1024 },
    text: { taken: 'yes' },
    audio: { taken: 'unknown' },
    video: { taken: 'unknown' },
  },
  evidence: unlisted,
};

type Wanted = { target: PlanTarget; command?: readonly string[] | undefined };

/** The row of a way to a model: one that names the program or the provider before one that names neither. */
export function findTransportRow({ transports }: Catalog, { target, command = [] }: Wanted): TransportRow | undefined {
  const programs = new Set(command.map(programNameOf));
  const fits = (row: TransportRow) =>
    row.transport === target.runtime &&
    (row.program === undefined || programs.has(row.program)) &&
    (row.providers === undefined || row.providers.includes(target.provider));
  const weight = ({ program, providers }: TransportRow) =>
    (program === undefined ? 0 : 2) + (providers === undefined ? 0 : 1);
  return transports.filter(fits).toSorted((a, b) => weight(b) - weight(a))[0];
}

/** The name of a program, from a word of a command: without folders, and without an ending that only says how it is run. */
export function programNameOf(word: string): string {
  return (word.split(/[\\/]/).at(-1) ?? '').replace(/\.(?:exe|cmd|[cm]?[jt]s)$/, '');
}

/** The row of a target's model: an exact name before a pattern, a longer pattern before a shorter one. */
export function findModelRow({ models }: Catalog, { provider, model }: PlanTarget): ModelRow | undefined {
  return models
    .filter((row) => row.provider === provider && matchesModel(row.modelPattern, model))
    .toSorted((a, b) => specificity(b.modelPattern) - specificity(a.modelPattern))[0];
}

export function matchesModel(pattern: string, model: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : pattern === model;
}

function specificity(pattern: string): number {
  return pattern.endsWith('*') ? pattern.length - 1 : Number.POSITIVE_INFINITY;
}
