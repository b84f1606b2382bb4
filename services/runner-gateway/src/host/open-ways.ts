import { mkdir } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { AgentEndpoint } from '@attache/agent-process';
import type { AgentId, Profile } from '@attache/contracts';
import { type AgentEgress, openEgress } from '@attache/egress';
import { openAgentSocket } from '../agent-socket/open-agent-socket.ts';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SocketOwner } from '../granted/socket-owner.ts';
import { openRelay, type RelayOwner } from '../relay/open-relay.ts';
import { findSandbox } from '../sandbox/find-sandbox.ts';

/** The sockets and the endpoint by which an agent reaches its gateway, and through it its model API. */
export type AgentWays = {
  socketPath: string;
  /** Undefined if the profile names no model API. */
  endpoint: AgentEndpoint | undefined;
  /** Set for a sandboxed agent with an endpoint: the path where its relay listens for it alone. */
  relaySocketPath: string | undefined;
  /** Set for a sandboxed agent whose profile allows hosts: the path where its proxy to them listens for it alone. */
  egressSocketPath: string | undefined;
  /** Watches that proxy. */
  watchEgress: AgentEgress['watch'] | undefined;
  close(): Promise<void>;
};

/** Opens them before the program starts. Throws CONFIGURATION_INVALID or SECRET_NOT_FOUND for a key that is not there; nothing is open then. */
export async function openWays(
  deps: OwningDeps,
  profile: Profile,
  { socket, relay }: { socket: SocketOwner; relay: RelayOwner },
): Promise<AgentWays> {
  await using opening = new AsyncDisposableStack();
  const relayed = await openRelay(deps, profile, relay);
  opening.defer(() => relayed?.close());
  const egress = await openAllowed(deps, profile, { agentId: relay.agentId, tenantId: relay.session?.tenantId });
  opening.defer(() => egress?.close());
  const { path, close } = await openAgentSocket(deps, socket);
  opening.defer(close);
  const opened = opening.move();
  return {
    ...{ socketPath: path, endpoint: relayed?.endpoint },
    ...{ relaySocketPath: relayed?.socketPath, egressSocketPath: egress?.socketPath },
    watchEgress: egress?.watch,
    close: () => opened.disposeAsync(),
  };
}

/** The proxy to the hosts that a profile's agents may reach; undefined if these are none. */
export async function openAllowed(
  { log, settings, connections }: Pick<OwningDeps, 'log' | 'settings' | 'connections'>,
  profile: Profile,
  holder: { agentId: AgentId; tenantId: string | undefined },
): Promise<(AgentEgress & { socketPath: string }) | undefined> {
  const network = findSandbox(settings, profile)?.network;
  if (typeof network !== 'object') return undefined;
  // A unix socket's path may have 107 bytes.
  const { agentId } = holder;
  const socketPath = join(settings.runtimeFolder, `${agentId.slice(4, 24)}.out`);
  await mkdir(settings.runtimeFolder, { recursive: true, mode: 0o700 });
  const admit = (socket: Socket) => connections.admit(holder, socket);
  const egress = await openEgress({ log, agentId, socketPath, allowed: network.allow, admit });
  return { ...egress, socketPath };
}
