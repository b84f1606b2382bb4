/** The address that a load is sent to, and its tenant's key. */
export type LoadTarget = { url: string; apiKey: string };

/** How many of its requests ended how, by status or outcome. */
export type Counts = Record<string, number>;

/** Load of one tenant that continues until it is ended. */
export type RunningLoad = {
  /** Ends it and removes requests that still wait. */
  end(): Promise<Counts>;
};

export type StartLoad = (target: LoadTarget) => Promise<RunningLoad>;

export function createCounts(): { counts: Counts; add(what: string | number): void } {
  const counts: Counts = {};
  return {
    counts,
    add(what) {
      counts[what] = (counts[what] ?? 0) + 1;
    },
  };
}
