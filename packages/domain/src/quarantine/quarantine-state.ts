/** A block that its model refused, by the digest that it has on the wire. */
export type Quarantined = {
  readonly wireSha256: string;
  /** Why, as `[a-z0-9_]+`. */
  readonly code: string;
  /** The refusal did not name it: it was taken out with all files that were new in its request. */
  readonly group?: true;
};

/** A refused file whose place a text takes in all requests of the agent. */
export type Replacement = {
  readonly wireSha256: string;
  readonly code: string;
  /** Until the provider has accepted or refused a request without it. */
  readonly isProvisional: boolean;
};

/** Files that are out until a request without them is accepted or refused. */
export type ProvisionalGroup = {
  readonly parts: readonly { readonly wireSha256: string; readonly code: string }[];
  /** Keys of what else was new in the request that was refused: where that comes without the files, the program has dropped them itself. */
  readonly beside: readonly string[];
};

/** The known refusals of one agent and target. Plain data; only `confirmed` has to be kept. */
export type QuarantineState = {
  readonly confirmed: readonly Quarantined[];
  readonly provisional: readonly ProvisionalGroup[];
  /** New files of the last request, where that was refused and no row knows why. */
  readonly suspected: readonly string[];
  /** Files that the provider has accepted: none of them is taken out unless it is named. */
  readonly accepted: readonly string[];
  /** The last refusal said that the conversation is larger than the model accepts. */
  readonly mustBeginAnew: boolean;
};

/** Begins with what was refused before. */
export function beginQuarantine(confirmed: readonly Quarantined[] = []): QuarantineState {
  return { confirmed, provisional: [], suspected: [], accepted: [], mustBeginAnew: false };
}

/** Lists the files to replace in the next request, each digest once. */
export function listReplacements({ confirmed, provisional }: QuarantineState): readonly Replacement[] {
  const certain = confirmed.map(({ wireSha256, code }) => ({ wireSha256, code, isProvisional: false }));
  const tried = provisional.flatMap(({ parts }) => parts.map((part) => ({ ...part, isProvisional: true })));
  return [...new Map([...tried, ...certain].map((each) => [each.wireSha256, each])).values()];
}

/** Lets the model see these again, until it refuses them again. */
export function forget(state: QuarantineState, wireSha256s: readonly string[]): QuarantineState {
  const isKept = (wireSha256: string) => !wireSha256s.includes(wireSha256);
  const provisional = state.provisional.map(({ parts, beside }) => {
    return { parts: parts.filter((part) => isKept(part.wireSha256)), beside };
  });
  return {
    ...state,
    confirmed: state.confirmed.filter((part) => isKept(part.wireSha256)),
    provisional: provisional.filter(({ parts }) => parts.length > 0),
    suspected: state.suspected.filter(isKept),
  };
}
