import type { Socket } from 'node:net';
import type { Logger } from '@attache/telemetry';

export type EgressLimits = {
  readonly maxConnections: number;
  readonly resolveMs: number;
  readonly connectMs: number;
  /** Limit for a tunnel in which nothing moves. */
  readonly idleMs: number;
};

export type EgressOptions = {
  readonly log: Logger;
  readonly agentId: string;
  /** Absolute path of the unix socket; in a folder that nobody else may enter. */
  readonly socketPath: string;
  /** `host:port`, as `readTarget` reads it; what else is in the list is never matched. */
  readonly allowed: readonly string[];
  readonly limits?: Partial<EgressLimits>;
  /** Called with each connection of the agent; it closes one that is too many. */
  readonly admit?: ((socket: Socket) => void) | undefined;
  /** Every address of a name. Default: the system's resolver. Rejects where there is none. */
  readonly resolveName?: (host: string) => Promise<readonly string[]>;
  /** Whether a connection may go to an address. Default: to public ones. */
  readonly judge?: (address: string) => { readonly status: 'public' | 'refused' };
};

/** The way out of one agent. */
export type AgentEgress = {
  /** Begins to watch it; the returned function says whether any tunnel has been open since. */
  watch(): () => boolean;
  /** Ends every tunnel, and removes the socket. */
  close(): Promise<void>;
};
