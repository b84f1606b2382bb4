import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import type { Duplex } from 'node:stream';
import { createAgentRelays, hostsOf } from './agent-relays.ts';
import { createProviderPool } from './exchange/provider-pool.ts';
import { handleRequest, type Relaying } from './handle-request.ts';
import { createSharedKeys } from './hold/shared-keys.ts';
import { defaultLimits, type RelayLimits } from './relay-limits.ts';
import type { ModelRelay, RelayOptions } from './relay-types.ts';
import { createReadingThreads } from './threads/reading-threads.ts';

const HEAD_MS = 30_000;
const FREE_PROGRAM_CONNECTION_MS = 65_000;

/**
 * Starts the HTTP server through which agents' programs reach their model APIs, on 127.0.0.1 at a port that is free. Rejects with the
 * system's error where it cannot listen.
 */
export async function startModelRelay({ log, limits: given = {}, ...options }: RelayOptions): Promise<ModelRelay> {
  const { spoolFolder = tmpdir() } = options;
  const limits: RelayLimits = { ...defaultLimits, ...given };
  const pool = createProviderPool(limits);
  const keys = createSharedKeys(limits);
  const threads = createReadingThreads({ log, program: options.threadProgram });
  const shared = { pool, keys, threads, limits, log, spoolFolder };
  const relays = createAgentRelays(
    () => port,
    (relay, path, hosts) => {
      const find = (agentId: string) => (relays.find(agentId) === relay ? relay : undefined);
      const own = { find, countRequests: relays.countRequests };
      const server = createRelayServer(limits, () => ({ ...shared, relays: own, hosts }));
      server.maxConnections = limits.maxAgentConnections;
      server.on('connection', (socket: Socket) => relay.access.admit?.(socket));
      return serveSocket(server, path);
    },
  );
  const server = createRelayServer(limits, () => ({ ...shared, relays, hosts: hostsOf(port) }));
  server.maxConnections = limits.maxPortConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    open: (access) => relays.open(access),
    async stop() {
      relays.closeAll();
      keys.close();
      pool.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await Promise.all([closed, threads.close()]);
    },
  };
}

/** Listens at a unix socket that its owner alone may use; answers what ends that and the connections to it. */
async function serveSocket(server: Server, path: string): Promise<() => void> {
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  return () => {
    server.close();
    server.closeAllConnections();
  };
}

function createRelayServer(limits: RelayLimits, relaying: () => Relaying): Server {
  // Strictness is not left to the flags of the process. The time for a body is limited by what moves, not as a whole.
  const options = {
    ...{ insecureHTTPParser: false, maxHeaderSize: limits.headerBytes, requireHostHeader: true, noDelay: true },
    ...{ headersTimeout: HEAD_MS, requestTimeout: 0, keepAliveTimeout: FREE_PROGRAM_CONNECTION_MS },
  };
  const server = createServer(options, (incoming, outgoing) => {
    // Also of bytes that come for a connection which is ending.
    for (const side of [incoming, outgoing]) side.on('error', () => outgoing.destroy());
    // A request that was sent before the answer to the one before it: no program does so.
    if (outgoing.socket === null) return void incoming.socket.destroy();
    void handleRequest(relaying(), { incoming, outgoing });
  });
  // No header is dropped unseen: their bytes are limited.
  server.maxHeadersCount = 0;
  server.on('connect', (_, socket) => refuseTunnel(socket));
  return server;
}

function refuseTunnel(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  socket.end('HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
}
