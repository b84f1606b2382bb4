import type { Socket } from 'node:net';
import type { AgentId } from '@attache/contracts';
import { createSeldom, type Logger } from '@attache/telemetry';

/** How many connections there may be at a time to all ways of one agent: its socket, its relay and its proxy. */
const MAX_OF_AGENT = 256;
/** One tenant's part of those of all agents. */
const TENANT_SHARE = 1 / 4;

/** The agent of a connection. `tenantId`: undefined for a probe, which has none. */
type Holder = { agentId: AgentId; tenantId: string | undefined };

/** Counts the connections of agents, each of which takes descriptors of the gateway, so that enough are left for the others (BX-32). */
export type AgentConnections = {
  /** Holds a connection until it closes. One beyond a limit is answered with a 429 and closed. */
  admit(holder: Holder, socket: Socket): void;
};

/** `maxConnections`: those of all agents together. */
export function createAgentConnections({
  maxConnections,
  log,
}: {
  maxConnections: number;
  log: Pick<Logger, 'warn'>;
}): AgentConnections {
  const held = new Map<string, number>();
  const isTime = createSeldom();
  const add = (name: string, count: number) => {
    const sum = (held.get(name) ?? 0) + count;
    if (sum === 0) held.delete(name);
    else held.set(name, sum);
  };
  return {
    admit(holder, socket) {
      const limits = limitsOf(holder, maxConnections);
      const full = limits.find(({ name, most }) => (held.get(name) ?? 0) >= most);
      if (full) {
        if (isTime(holder.agentId)) log.warn({ agentId: holder.agentId, full: full.of }, 'agent.connections_refused');
        refuse(socket);
        return;
      }
      for (const { name } of limits) add(name, 1);
      socket.once('close', () => {
        for (const { name } of limits) add(name, -1);
      });
    },
  };
}

function limitsOf({ agentId, tenantId }: Holder, maxConnections: number) {
  return [
    { of: 'agent', name: agentId, most: Math.min(MAX_OF_AGENT, Math.ceil(maxConnections * TENANT_SHARE)) },
    { of: 'tenant', name: `tenant ${tenantId}`, most: Math.ceil(maxConnections * TENANT_SHARE) },
    { of: 'gateway', name: 'all', most: maxConnections },
  ];
}

const body = JSON.stringify({
  code: 'RATE_LIMITED',
  detail: 'Too many connections are open. Close some, then try again.',
  retryable: true,
});
const refusal = [
  'HTTP/1.1 429 Too Many Requests',
  'Connection: close',
  'Retry-After: 1',
  'Content-Type: application/problem+json',
  `Content-Length: ${body.length}`,
  '',
  body,
].join('\r\n');

/** Nothing of it is read: it holds its descriptor for no longer than the answer takes. */
function refuse(socket: Socket): void {
  socket.on('error', () => {});
  socket.write(refusal);
  socket.destroySoon();
}
