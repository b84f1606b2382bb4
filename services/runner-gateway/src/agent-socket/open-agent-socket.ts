import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import { idFromUuid } from '@attache/contracts';
import { takeInOrder } from '@attache/intake';
import { getRequestListener } from '@hono/node-server';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SocketOwner } from '../granted/socket-owner.ts';
import { createAgentApp } from './agent-app.ts';

const HEAD_MS = 15_000;

export type AgentSocket = {
  path: string;
  close(): Promise<void>;
};

/** Opens the unix socket of one agent: 0700 folder, 0600 socket, a stale one unlinked. */
export async function openAgentSocket(deps: OwningDeps, owner: SocketOwner): Promise<AgentSocket> {
  const { runtimeFolder } = deps.settings;
  await mkdir(runtimeFolder, { recursive: true, mode: 0o700 });
  // A unix socket's path may have 107 bytes: the agent's uuid without dashes is short enough.
  const path = join(runtimeFolder, `${owner.agentId.replaceAll('-', '').slice(0, 20)}.sock`);
  await rm(path, { force: true });
  const app = createAgentApp(deps, owner);
  const server = createServer({ headersTimeout: HEAD_MS }, takeInOrder(getRequestListener(app.fetch)));
  const holder = { agentId: idFromUuid('agent', owner.agentId), tenantId: owner.session.tenantId };
  server.on('connection', (socket: Socket) => deps.connections.admit(holder, socket));
  try {
    await listen(server, path);
    await chmod(path, 0o600);
  } catch (error) {
    server.close();
    throw error;
  }
  return {
    path,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve());
  });
}
