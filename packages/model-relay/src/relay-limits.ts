/** Bounds of the relay; none of them is a target's own limit. */
export type RelayLimits = {
  /** Until a connection to the provider is there, the wait for a free one included. */
  readonly connectMs: number;
  /** Without a byte in either direction. A provider may think this long before its first one. */
  readonly idleMs: number;
  /** How long what is left of a refused body is read and dropped, so that the program sees the answer. */
  readonly lingerMs: number;
  /** How long a connection to the provider is kept without a request. */
  readonly keepAliveMs: number;
  /** Limit for the head of a request, and for the head of a response. */
  readonly headerBytes: number;
  /** Connections to one provider, of all agents together. */
  readonly maxSockets: number;
  /** Requests of one agent at once. */
  readonly maxAgentRequests: number;
  /** Requests of all agents of one tenant at once: fewer than the connections to one provider, of which others need some. */
  readonly maxTenantRequests: number;
  /** To the socket of one agent, at once; more are dropped. */
  readonly maxAgentConnections: number;
  /** To the port that agents without a socket of their own share, at once; more are dropped. */
  readonly maxPortConnections: number;
  /** Limit for all of one agent's bodies that wait on the disk, together. */
  readonly maxSpoolBytes: number;
  /** Requests that wait under one key of a provider, of all agents together. */
  readonly maxHeld: number;
};

export const defaultLimits: RelayLimits = {
  connectMs: 15_000,
  idleMs: 600_000,
  lingerMs: 5_000,
  keepAliveMs: 15_000,
  headerBytes: 64 * 1024,
  maxSockets: 2_048,
  maxAgentRequests: 64,
  maxTenantRequests: 512,
  maxAgentConnections: 256,
  maxPortConnections: 2_048,
  maxSpoolBytes: 512 * 1024 * 1024,
  maxHeld: 4_096,
};
