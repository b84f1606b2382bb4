/** What one check found. `fix` says what to do where it is not well. */
export type Finding = {
  name: string;
  state: 'ok' | 'warning' | 'failed';
  /** Facts: versions, sizes, latencies; never a secret. */
  detail: string;
  fix?: string | undefined;
};

/** A check by name; what it throws becomes a failed finding. */
export type Check = { name: string; run(): Promise<Omit<Finding, 'name'>> };
