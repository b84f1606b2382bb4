import { lookup } from 'node:dns/promises';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '@attache/telemetry';
import { judgeAddress } from './address/judge-address.ts';
import type { AgentEgress, EgressLimits, EgressOptions } from './egress-types.ts';
import { openTunnel, type Tunnelling } from './tunnel/open-tunnel.ts';
import { nameTarget, readTarget } from './tunnel/read-target.ts';

const HEAD_MS = 10_000;
const HEAD_BYTES = 8 * 1024;
/** An agent that asks for what it may not have often does so again. */
const MAX_LOGGED_REFUSALS = 32;

const defaultLimits: EgressLimits = { maxConnections: 256, resolveMs: 5_000, connectMs: 10_000, idleMs: 10 * 60_000 };

/**
 * Opens the way out of one agent: a proxy for CONNECT on a unix socket. It resolves each name itself, checks every address, and connects to one
 * that it checked. Rejects with the system's error where it cannot listen.
 */
export async function openEgress(options: EgressOptions): Promise<AgentEgress> {
  const { socketPath, allowed, log, agentId, resolveName = resolveAll, judge = judgeAddress } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const sockets = new Set<Socket>();
  const tunnels = new Set<Socket>();
  let openedCount = 0;
  const keep = (far: Socket) => {
    openedCount += 1;
    for (const kept of [sockets, tunnels]) keepOpen(kept, far);
  };
  const tunnelling: Tunnelling = {
    ...{ limits, resolveName, judge, keep },
    allowed: new Set(allowed.map(readTarget).flatMap((target) => (target === undefined ? [] : [nameTarget(target)]))),
    noteRefusal: createRefusalLog(log, agentId),
  };
  const server = createProxy(limits, (request, socket, head) => void openTunnel(tunnelling, request, socket, head));
  server.on('connection', (socket: Socket) => {
    keepOpen(sockets, socket);
    options.admit?.(socket);
  });
  await listen(server, socketPath);
  return {
    watch() {
      const before = openedCount;
      const isOpen = tunnels.size > 0;
      return () => isOpen || openedCount > before;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function keepOpen(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}

function createProxy(
  { maxConnections }: EgressLimits,
  onConnect: (request: IncomingMessage, socket: Socket, head: Buffer) => void,
): Server {
  const options = {
    ...{ insecureHTTPParser: false, maxHeaderSize: HEAD_BYTES, noDelay: true },
    ...{ headersTimeout: HEAD_MS, requestTimeout: HEAD_MS, keepAliveTimeout: HEAD_MS },
  };
  const server = createServer(options, refusePlain);
  server.maxConnections = maxConnections;
  server.on('connect', onConnect);
  // A switch of protocols is none of a tunnel's.
  server.on('clientError', (_, socket) => socket.destroy());
  return server;
}

/** In the clear nothing goes out. */
function refusePlain(_: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(405, { 'content-type': 'text/plain', connection: 'close' });
  outgoing.end('Only CONNECT is taken.\n');
}

async function listen(server: Server, socketPath: string): Promise<void> {
  // A socket may be left from a gateway that was killed.
  await rm(socketPath, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  await chmod(socketPath, 0o600);
}

async function resolveAll(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, order: 'verbatim' });
  return found.map(({ address }) => address);
}

function createRefusalLog(log: Logger, agentId: string): Tunnelling['noteRefusal'] {
  const seen = new Set<string>();
  return (refused, target) => {
    const key = `${refused} ${target}`;
    if (seen.has(key) || seen.size === MAX_LOGGED_REFUSALS) return;
    seen.add(key);
    log.warn({ agentId, refused, target }, 'egress.refused');
  };
}
