import { readRoot } from './api/find-route.ts';
import type { OpenedRelay, RelayAccess } from './relay-types.ts';
import { createToken, digestToken } from './token.ts';

/** What is open to one agent. */
export type AgentRelay = {
  readonly access: RelayAccess;
  /** Where the endpoint lies. Its path is not used: requests name theirs. */
  readonly origin: URL;
  /** The path of the endpoint without a version. */
  readonly root: string;
  readonly tokenDigest: Buffer;
  /** Its requests under way. */
  readonly exchanges: Set<{ end(): void }>;
  /** Of its bodies that wait on the disk. */
  spooledBytes: number;
  /** What ends the wait of those of them that are held. */
  readonly holds: Set<() => void>;
};

export type AgentRelays = ReturnType<typeof createAgentRelays>;

/** The relays that are open, one for each agent at most. `port` is that of the server. */
export function createAgentRelays(port: () => number) {
  const relays = new Map<string, AgentRelay>();

  function close(relay: AgentRelay): void {
    if (relays.get(relay.access.agentId) === relay) relays.delete(relay.access.agentId);
    for (const exchange of relay.exchanges) exchange.end();
  }

  return {
    find: (agentId: string): AgentRelay | undefined => relays.get(agentId),
    open(access: RelayAccess): OpenedRelay {
      const { api, baseUrl } = access.endpoint;
      const origin = readOrigin(baseUrl);
      const token = createToken();
      const root = readRoot(api, origin.pathname);
      const relay: AgentRelay = {
        ...{ access, origin, root, tokenDigest: digestToken(token), exchanges: new Set(), holds: new Set() },
        spooledBytes: 0,
      };
      const earlier = relays.get(access.agentId);
      if (earlier === undefined || earlier.access.epoch <= access.epoch) {
        if (earlier !== undefined) close(earlier);
        relays.set(access.agentId, relay);
      }
      const path = origin.pathname.replace(/\/+$/, '');
      return {
        ...{ baseUrl: `http://127.0.0.1:${port()}/${access.agentId}${path}`, token },
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

function readOrigin(baseUrl: string): URL {
  const origin = new URL(baseUrl);
  if (origin.protocol === 'http:' || origin.protocol === 'https:') return origin;
  throw new TypeError('The endpoint of a model API has a baseUrl that begins with http: or https:.');
}
