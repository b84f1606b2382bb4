/** The result of one check. `fix` says what to do if it is not well. */
export type Finding = {
  name: string;
  state: 'ok' | 'warning' | 'failed';
  /** Facts: versions, sizes, latencies; never a secret. */
  detail: string;
  fix?: string | undefined;
};

/** A check by name; an error that it throws becomes a failed finding. */
export type Check = { name: string; run(): Promise<Omit<Finding, 'name'>> };
