import type { ServerCounts } from './read-counts.ts';

/** The figures with so many sessions on so many gateways. Times in milliseconds. */
export type ScaleFigures = {
  sessionCount: number;
  gatewayCount: number;
  /** Agents that run. */
  agentCount: number;
  deliveryCount: number;
  /** From the acceptance of a message to its last byte at an agent that runs. */
  dispatchMs: { p50: number; p99: number };
  /** How much later than planned the generator sent, 99th percentile. */
  latenessMs: number;
  /** For each delivery. */
  perDelivery: ServerCounts;
  /** For each second in which nobody sends. */
  perQuietSecond: ServerCounts;
  connectionCount: number;
  /** Own memory of all gateways together, in bytes. */
  gatewayBytes: number;
  ownedCount: number;
};
