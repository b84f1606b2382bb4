import { readRoot } from './api/find-route.ts';
import type { OpenedRelay, RelayAccess } from './relay-types.ts';
import { createToken, digestToken } from './token.ts';

/** An agent's access at the relay, and its current work. */
export type AgentRelay = {
  readonly access: RelayAccess;
  /** The origin of the endpoint. Its path is not used: requests name their own. */
  readonly origin: URL;
  /** The path of the endpoint without a version. */
  readonly root: string;
  readonly tokenDigest: Buffer;
  /** Its requests in progress. */
  readonly exchanges: Set<{ end(): void }>;
  /** Bytes of its bodies that wait on the disk. */
  spooledBytes: number;
  /** Callbacks that end the wait of its held requests. */
  readonly holds: Set<() => void>;
  /** Callbacks that end its sockets. */
  readonly sockets: Set<() => void>;
};

export type AgentRelays = ReturnType<typeof createAgentRelays>;

/** Serves one agent at a unix socket, to which `hosts` lead; answers what ends that. */
export type ServeSocket = (relay: AgentRelay, path: string, hosts: readonly string[]) => Promise<() => void>;

/** The relays that are open, one for each agent at most. `port` is that of the server. */
export function createAgentRelays(port: () => number, serveSocket: ServeSocket) {
  const relays = new Map<string, AgentRelay>();

  function close(relay: AgentRelay): void {
    if (relays.get(relay.access.agentId) === relay) relays.delete(relay.access.agentId);
    for (const exchange of relay.exchanges) exchange.end();
    for (const endSocket of relay.sockets) endSocket();
  }

  async function listen(relay: AgentRelay, socketPath: string, insidePort: number): Promise<string> {
    const endSocket = await serveSocket(relay, socketPath, hostsOf(insidePort));
    relay.sockets.add(endSocket);
    return nameBase(relay, insidePort);
  }

  return {
    find: (agentId: string): AgentRelay | undefined => relays.get(agentId),
    /** Requests in progress of all agents of a tenant; of those without one, none. */
    countRequests(tenant: string | undefined): number {
      if (tenant === undefined) return 0;
      let count = 0;
      for (const { access, exchanges } of relays.values()) if (access.tenant === tenant) count += exchanges.size;
      return count;
    },
    open(access: RelayAccess): OpenedRelay {
      const { api, baseUrl } = access.endpoint;
      const origin = readOrigin(baseUrl);
      const token = createToken();
      const root = readRoot(api, origin.pathname);
      const relay: AgentRelay = {
        ...{ access, origin, root, tokenDigest: digestToken(token), exchanges: new Set(), holds: new Set() },
        sockets: new Set(),
        spooledBytes: 0,
      };
      const earlier = relays.get(access.agentId);
      if (earlier === undefined || earlier.access.epoch <= access.epoch) {
        if (earlier !== undefined) close(earlier);
        relays.set(access.agentId, relay);
      }
      return {
        ...{ baseUrl: nameBase(relay, port()), token },
        listen: (path, insidePort) => listen(relay, path, insidePort),
        endTurn() {
          for (const endHold of relay.holds) endHold();
        },
        close: () => close(relay),
      };
    },
    closeAll(): void {
      for (const relay of relays.values()) close(relay);
    },
  };
}

/** The allowed Host headers of requests to a port of loopback. */
export const hostsOf = (port: number): string[] => [`127.0.0.1:${port}`, `localhost:${port}`];

function nameBase({ access, origin }: AgentRelay, port: number): string {
  return `http://127.0.0.1:${port}/${access.agentId}${origin.pathname.replace(/\/+$/, '')}`;
}

function readOrigin(baseUrl: string): URL {
  const origin = new URL(baseUrl);
  if (origin.protocol === 'http:' || origin.protocol === 'https:') return origin;
  throw new TypeError('The endpoint of a model API has a baseUrl that begins with http: or https:.');
}
