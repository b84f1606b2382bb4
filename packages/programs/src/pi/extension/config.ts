/** The agent's access to its gateway; undefined if no gateway started it. */
export type GatewayAccess = { socketPath: string; token: string };

export function readAccess(): GatewayAccess | undefined {
  const { ATTACHE_AGENT_SOCKET: socketPath, ATTACHE_AGENT_TOKEN: token } = process.env;
  return socketPath === undefined || token === undefined ? undefined : { socketPath, token };
}
