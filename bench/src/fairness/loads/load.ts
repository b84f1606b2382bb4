/** Where a load is brought to, and as whom. */
export type LoadTarget = { url: string; apiKey: string };

/** What became of its requests, by status or outcome. */
export type Counts = Record<string, number>;

/** Load of one tenant that continues until it is ended. */
export type RunningLoad = {
  /** Ends it and takes away what still waits. */
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
