import { AGENT_SOCKET_VARIABLE, AGENT_TOKEN_VARIABLE } from '@attache/contracts/agent-variables';

export type Environment = Readonly<Record<string, string | undefined>>;

/** How a child reaches its gateway. */
export type GatewayAccess = { socketPath: string; token: string };

export const processEnvironment: Environment = process.env;

/** Undefined if the process was not started by a gateway. */
export function readGatewayAccess(environment: Environment): GatewayAccess | undefined {
  const socketPath = environment[AGENT_SOCKET_VARIABLE];
  const token = environment[AGENT_TOKEN_VARIABLE];
  return socketPath && token ? { socketPath, token } : undefined;
}
