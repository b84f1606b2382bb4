import type { AgentEndpoint } from '@attache/agent-process';
import type { Profile } from '@attache/contracts';
import { openAgentSocket } from '../agent-socket/open-agent-socket.ts';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SocketOwner } from '../granted/socket-owner.ts';
import { openRelay, type RelayOwner } from '../relay/open-relay.ts';

/** By what an agent reaches its gateway, and through it its model API. */
export type AgentWays = {
  socketPath: string;
  /** Undefined where the profile names no model API. */
  endpoint: AgentEndpoint | undefined;
  /** Of a sandboxed agent with an endpoint: where its relay listens for it alone. */
  relaySocketPath: string | undefined;
  close(): Promise<void>;
};

/** Opens them before the program starts. Throws CONFIGURATION_INVALID or SECRET_NOT_FOUND for a key that is not there; nothing is open then. */
export async function openWays(
  deps: OwningDeps,
  profile: Profile,
  { socket, relay }: { socket: SocketOwner; relay: RelayOwner },
): Promise<AgentWays> {
  const relayed = await openRelay(deps, profile, relay);
  try {
    const { path, close } = await openAgentSocket(deps, socket);
    return {
      socketPath: path,
      endpoint: relayed?.endpoint,
      relaySocketPath: relayed?.socketPath,
      async close() {
        relayed?.close();
        await close();
      },
    };
  } catch (error) {
    relayed?.close();
    throw error;
  }
}
