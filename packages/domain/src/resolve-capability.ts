import type {
  Capability,
  DeclaredCapability,
  Evidence,
  KindCapability,
  Profile,
  Target,
  TriState,
} from '@attache/contracts';
import { type CapabilityRow, capabilityTable, notCarried, plainText } from './capability-table.ts';

export type CapabilityRequest = {
  target: Target;
  /** What the agent declared when it was last initialised; undefined while it never was. */
  declared: DeclaredCapability | undefined;
  /** The operator's word on the profile's model. */
  profileCapability: Profile['capability'] | undefined;
  /** What one line of the agent's protocol may hold. */
  lineBytes: number;
};

/** Limits that every provider's image input holds to, for models of which nothing is known. */
const cautiousImages: KindCapability = {
  transport: 'unknown',
  model: 'unknown',
  mimeTypes: ['image/png', 'image/jpeg'],
  maxInlineBytes: 3_538_944, // 4.5 MiB of base64
  maxCount: 20,
  maxEdgePixels: 2000,
};

const unlisted: Omit<Capability, 'evidence'> = {
  image: cautiousImages,
  document: notCarried,
  text: { ...plainText, transport: 'unknown', model: 'unknown' },
  audio: notCarried,
  video: notCarried,
  embeddedContext: 'unknown',
  forwardsNative: false,
};

/** Any ACP agent takes text blocks: they are the baseline of the protocol. Documents and sound have no way in yet. */
const unlistedAcp: Omit<Capability, 'evidence'> = { ...unlisted, text: plainText };

/**
 * What a target accepts: the catalog's row, narrowed by what the agent declares and by the operator's word. Without a row the
 * model's ability is the operator's word, else unknown; never guessed from the provider (DL-06).
 */
export function resolveCapability(request: CapabilityRequest): Capability {
  const { target, declared, profileCapability: word, lineBytes } = request;
  const row = findRow(target);
  const base = row?.capability ?? (target.runtime === 'acp' ? unlistedAcp : unlisted);
  return {
    ...base,
    image: withWord(withDeclared(base.image, declared?.image), word?.image),
    document: withWord(base.document, word?.pdf),
    text: withWord(base.text, word?.text),
    audio: withWord(withDeclared(base.audio, declared?.audio), word?.audio),
    video: withWord(base.video, word?.video),
    embeddedContext: narrow(base.embeddedContext, declared?.embeddedContext),
    maxLineBytes: Math.min(base.maxLineBytes ?? lineBytes, lineBytes),
    evidence: row?.evidence ?? evidenceOf(request),
  };
}

/** The row of a target's model: an exact name before a pattern, a longer pattern before a shorter one. */
function findRow({ runtime, provider, model }: Target): CapabilityRow | undefined {
  return capabilityTable
    .filter((row) => row.runtime === runtime && row.provider === provider && matchesModel(row.modelPattern, model))
    .toSorted((a, b) => specificity(b.modelPattern) - specificity(a.modelPattern))[0];
}

export function matchesModel(pattern: string, model: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : pattern === model;
}

function specificity(pattern: string): number {
  return pattern.endsWith('*') ? pattern.length - 1 : Number.POSITIVE_INFINITY;
}

function withDeclared(kind: KindCapability, isDeclared: boolean | undefined): KindCapability {
  return { ...kind, transport: narrow(kind.transport, isDeclared) };
}

function withWord(kind: KindCapability, word: boolean | undefined): KindCapability {
  return { ...kind, model: narrow(kind.model, word) };
}

/** A "no" always counts; a "yes" only where nothing was known. */
function narrow(known: TriState, said: boolean | undefined): TriState {
  if (said === undefined) return known;
  if (!said) return 'no';
  return known === 'unknown' ? 'yes' : known;
}

function evidenceOf({ target, declared, profileCapability }: CapabilityRequest): Evidence {
  if (profileCapability !== undefined) {
    return { source: 'operator', note: `The profile ${target.profile} says what its model takes.` };
  }
  if (declared !== undefined) {
    return { source: 'live-probe', note: 'The agent declared what it carries; what its model takes is not known.' };
  }
  return {
    source: 'unknown',
    note: 'The catalog has no row for this model, and the profile does not say what it takes.',
  };
}
