/** Why nothing more comes from an agent. */
export type ConnectionEnd =
  /** The agent's output ended. */
  | { reason: 'ended' }
  | { reason: 'protocol-error'; diagnostic: string }
  /** It asks and does not read the answers. */
  | { reason: 'stalled' }
  /** A hook of the gateway threw. */
  | { reason: 'fault'; error: unknown };
