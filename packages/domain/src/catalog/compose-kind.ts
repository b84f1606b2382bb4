import type { CapabilityOverride, Contradiction, Evidence, KindCapability, TriState } from '@attache/contracts';
import type { CarriedKind, CarriedWay, ModelRow, TakenKind, TransportRow } from './catalog-row.ts';
import { narrow } from './narrow.ts';

type Rows = { transport: Pick<TransportRow, 'kinds' | 'evidence'>; model: Pick<ModelRow, 'kinds' | 'evidence'> };

/** Statements about a kind from outside the catalog. */
type Words = {
  declared: boolean | undefined;
  operator: boolean | undefined;
  tenant: boolean | undefined;
  limits: CapabilityOverride['limits'];
  /** An observation of the transport that contradicts the catalog. */
  contradiction: Pick<Contradiction, 'date' | 'note'> | undefined;
  /** The evidence of the most specific statement. */
  evidence: Evidence;
};

// If neither row names types, the types that every provider takes. Text is text whatever its type is called; these types are for file pickers.
const commonTypes: Record<CarriedKind, readonly string[]> = {
  image: ['image/png', 'image/jpeg'],
  document: ['application/pdf'],
  text: ['text/*', 'application/json', 'application/xml', 'application/yaml', 'application/toml', 'application/sql'],
  audio: ['audio/wav', 'audio/mpeg'],
  video: ['video/mp4'],
};

/** The ability of a target for one kind: the overlap of what its transport carries and what its model takes. */
export function composeKind(kind: CarriedKind, { transport, model }: Rows, words: Words): KindCapability {
  const way = transport.kinds[kind];
  const taken = model.kinds[kind];
  const carried = narrow(way.carried, words.declared);
  const understood = narrow(narrow(taken.taken, words.operator), words.tenant);
  // A kind that the row does not carry anyway cannot be contradicted.
  const contradiction = carried === 'no' ? undefined : words.contradiction;
  return {
    transport: contradiction ? 'no' : carried,
    model: understood,
    mimeTypes: carried === 'no' || understood === 'no' ? [] : commonOf(kind, way, taken),
    ...limitsOf(way, taken),
    ...overriddenLimits(kind, way, taken, words.limits),
    ...animatedOf(way, taken),
    ...(way.alters === undefined ? {} : { alters: way.alters }),
    evidence: {
      transport: contradiction ? { source: 'contradicted', ...pickSeen(contradiction) } : transport.evidence,
      model: understood === taken.taken ? model.evidence : words.evidence,
    },
  };
}

const pickSeen = ({ date, note }: Pick<Contradiction, 'date' | 'note'>) => ({ date, note });

function commonOf(kind: CarriedKind, way: CarriedWay, taken: TakenKind): string[] {
  const [first, second] = [way.mimeTypes, taken.mimeTypes];
  if (first === undefined || second === undefined) return [...(first ?? second ?? commonTypes[kind])];
  return first.filter((type) => second.includes(type));
}

const limitNames = ['maxInlineBytes', 'maxFileBytes', 'maxCount', 'maxEdgePixels', 'maxPixels', 'maxPages'] as const;
type Limits = Partial<Record<(typeof limitNames)[number], number>>;

/** The tighter of both limits. A file that goes by path is inside the model's request all the same. */
function limitsOf(way: CarriedWay, taken: TakenKind): Limits & Pick<KindCapability, 'carriage'> {
  const limits: Limits = {};
  for (const name of limitNames) {
    const known = [way[name], taken[name]].filter((limit) => limit !== undefined);
    if (known.length > 0) limits[name] = Math.min(...known);
  }
  return way.carriage === undefined ? limits : { ...limits, carriage: way.carriage };
}

function overriddenLimits(kind: CarriedKind, way: CarriedWay, taken: TakenKind, said: Words['limits']): Limits {
  const known = limitsOf(way, taken);
  const tighter = (limit: number | undefined, other: number | undefined) =>
    other === undefined ? limit : Math.min(other, limit ?? other);
  const maxCount = kind === 'image' ? tighter(known.maxCount, said?.maxImages) : known.maxCount;
  const maxPages = kind === 'document' ? tighter(known.maxPages, said?.maxPages) : known.maxPages;
  return { ...(maxCount === undefined ? {} : { maxCount }), ...(maxPages === undefined ? {} : { maxPages }) };
}

/** A moving image must be taken by both. */
function animatedOf(way: CarriedWay, taken: TakenKind): { animated?: TriState } {
  const said = [way.animated, taken.animated].filter((value) => value !== undefined);
  if (said.length === 0) return {};
  return { animated: said.find((value) => value !== 'yes') ?? 'yes' };
}
