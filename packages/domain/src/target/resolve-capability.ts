import type {
  Capability,
  Contradiction,
  DeclaredCapability,
  Evidence,
  PlanTarget,
  Profile,
  TenantOverride,
} from '@attache/contracts';
import { type CarriedKind, type Catalog, carriedKinds, type TransportRow } from '../catalog/catalog-row.ts';
import { nameOfTransport } from '../catalog/check-catalog.ts';
import { composeKind } from '../catalog/compose-kind.ts';
import { findModelRow, findTransportRow, unlistedModel, unlistedTransport } from '../catalog/find-row.ts';
import { narrow } from '../catalog/narrow.ts';

export type CapabilityRequest = {
  target: PlanTarget;
  /** The profile's command: programs of one protocol differ. */
  command?: readonly string[] | undefined;
  /** The capabilities that the agent declared when it was last initialised; undefined if it never was. */
  declared: DeclaredCapability | undefined;
  /** The operator's statement about the profile's model. */
  profileCapability: Profile['capability'] | undefined;
  /** The tenant's statement about this profile and model. */
  override?: TenantOverride | undefined;
  /** Maximum length of one line of the agent's protocol; undefined if there is no line. */
  lineBytes: number | undefined;
  /** Whether the profile's agents may use tools of their own program; not without it. */
  hasOwnTools?: boolean | undefined;
  /** Contradictions of rows of the catalog, of any row. */
  contradictions?: readonly Contradiction[] | undefined;
  /** Digest of the profile's settings: contradictions of other settings do not concern it. */
  settingsSha256?: string | undefined;
};

/**
 * Resolves the abilities of a target: the catalog's rows of its transport and of its model, narrowed by the agent's declaration, by the operator's statement
 * and by the tenant's. A kind that was seen not to arrive is not carried. Without a row, the model's ability is what operator and tenant state, otherwise
 * unknown; it is never guessed from the provider (DL-06).
 */
export function resolveCapability(request: CapabilityRequest, catalog: Catalog): Capability {
  const { target, declared, lineBytes, override } = request;
  const row = findTransportRow(catalog, request);
  const transport = row ?? unlistedTransport;
  const model = findModelRow(catalog, target);
  const base = { transport, model: model ?? unlistedModel };
  const kinds = Object.fromEntries(
    carriedKinds.map((kind) => [
      kind,
      composeKind(kind, base, {
        ...wordsOn(kind, request),
        contradiction: row && findContradiction(request, row, kind),
        evidence: evidenceOf(request),
      }),
    ]),
  ) as Pick<Capability, CarriedKind>;
  const maxRequestBytes = least(model?.maxRequestBytes, override?.capability.limits?.maxRequestBytes);
  return {
    ...kinds,
    embeddedContext: narrow(transport.embeddedContext, declared?.embeddedContext),
    forwardsNative: transport.forwardsNative,
    tools: request.profileCapability?.files ? 'yes' : transport.tools,
    ...filesOf(transport, request),
    ...(lineBytes === undefined ? {} : { maxLineBytes: lineBytes }),
    ...(maxRequestBytes === undefined ? {} : { maxRequestBytes }),
    evidence: override ? evidenceOf(request) : (model?.evidence ?? evidenceOf(request)),
    catalogVersion: catalog.version,
  };
}

/** Whether the program's own tools read a file whose path the agent is given: on the operator's word, or else by a trial. */
function filesOf(
  { readsFiles: tried }: Pick<TransportRow, 'readsFiles'>,
  { target: { profile }, profileCapability, hasOwnTools = false }: CapabilityRequest,
): Pick<Capability, 'files'> {
  const said = profileCapability?.files;
  const ofOperator = (note: string): Evidence => ({ source: 'operator', note });
  if (said === false)
    return {
      files: { read: 'no', evidence: ofOperator(`The profile ${profile} says that its program reads no files.`) },
    };
  const evidence = said ? ofOperator(`The profile ${profile} says that its program reads files.`) : tried;
  if (evidence === undefined) return {};
  if (hasOwnTools) return { files: { read: 'yes', evidence } };
  const note = `The profile ${profile} lets its agents use no tools of their own program.`;
  return { files: { read: 'no', evidence: ofOperator(note) } };
}

function least(...values: (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Finds the latest contradiction of the row for a kind that concerns the profile. */
function findContradiction(
  { contradictions = [], settingsSha256 }: CapabilityRequest,
  row: TransportRow,
  kind: CarriedKind,
): Contradiction | undefined {
  const name = nameOfTransport(row);
  return contradictions
    .filter((each) => each.row === name && each.kind === kind)
    .filter((each) => each.settingsSha256 === undefined || each.settingsSha256 === settingsSha256)
    .toSorted((a, b) => b.date.localeCompare(a.date))[0];
}

const fieldOf = (kind: CarriedKind) => (kind === 'document' ? 'pdf' : kind);

/** Collects the statements about one kind from agent, operator and tenant. */
function wordsOn(kind: CarriedKind, { declared, profileCapability, override }: CapabilityRequest) {
  const field = fieldOf(kind);
  const declaredKind = kind === 'image' || kind === 'audio' ? declared?.[kind] : undefined;
  return {
    declared: declaredKind,
    operator: profileCapability?.[field],
    tenant: override?.capability[field],
    limits: override?.capability.limits,
  };
}

/** The evidence for a statement that is not in the catalog. */
function evidenceOf({ target, declared, profileCapability, override }: CapabilityRequest): Evidence {
  if (override !== undefined) return { source: 'tenant-override', note: override.reason };
  if (carriedKinds.some((kind) => profileCapability?.[fieldOf(kind)] !== undefined)) {
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
