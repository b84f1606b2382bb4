/** The paths inside an agent's sandbox. */
export const insidePlaces = {
  folder: '/agent',
  agentSocket: '/run/attache/agent.sock',
  relaySocket: '/run/attache/relay.sock',
  egressSocket: '/run/attache/egress.sock',
  box: '/run/attache/box',
} as const;

/** On 127.0.0.1 inside: the relay to the agent's model API. No known program listens there itself. */
export const RELAY_PORT = 8087;
/** The proxy to the hosts that the agent's profile allows. */
export const EGRESS_PORT = 8088;

/** User and group inside. Both are the gateway's own outside. */
export const INSIDE_ID = 1000;
