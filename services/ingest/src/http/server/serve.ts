import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault } from '@attache/contracts';
import { takeInOrder } from '@attache/intake';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { HttpApp } from '../context.ts';
import { asFault, problemResponse } from '../problem-response.ts';
import { closeUnused } from './close-unused.ts';
import { endBrokenRequests } from './end-broken-requests.ts';

export const serverLimits = {
  /** Slow headers hold a connection, nothing else: bodies have a guard of their own (S15). */
  headersMs: 15_000,
  // Longer than those of usual load balancers and clients: who closes an idle connection first must not be the one that is asked.
  idleMs: 75_000,
  lookMs: 1_000,
};
const DRAIN_MS = 5_000;

type ServerLimits = typeof serverLimits & {
  /** Each new one beyond closes the one that is unused for longest, or is closed itself. */
  maxConnections: number;
  /** Called whenever a connection is closed to make room. */
  onFull?: (() => void) | undefined;
};

export type HttpServer = { url: string; stop(): Promise<void> };

function explainListenError(error: NodeJS.ErrnoException, host: string, port: number): Fault {
  const what =
    error.code === 'EADDRINUSE'
      ? `The port ${port} on ${host} is taken. Stop what uses it, or set ATTACHE_PORT to another one (0 picks a free one).`
      : `Cannot listen on ${host}:${port} (${error.code}). Check ATTACHE_HOST and ATTACHE_PORT.`;
  return new Fault('CONFIGURATION_INVALID', what, { cause: error });
}

// A request that cannot be read reaches no route: for example an address that is not ASCII, or an invalid Host.
function refuseUnreadable(error: unknown): Response {
  const isTheirs = error instanceof RequestError;
  const why = 'The address or the Host of the request is malformed. Percent-encode what is not ASCII.';
  return problemResponse(isTheirs ? new Fault('INVALID_REQUEST', why) : asFault(error), randomUUID());
}

/** Serves the app on an address; a taken port is a fault that says so. */
export async function serveHttp(
  app: Pick<HttpApp, 'fetch'>,
  address: { host: string; port: number },
  { headersMs, idleMs, lookMs, maxConnections, onFull }: ServerLimits,
): Promise<HttpServer> {
  const server = await new Promise<Server>((resolve, reject) => {
    const listening = createServer(
      {
        headersTimeout: headersMs,
        keepAliveTimeout: idleMs,
        requestTimeout: 0,
        connectionsCheckingInterval: lookMs,
        maxHeaderSize: 32 * 1024,
      },
      takeInOrder(getRequestListener(app.fetch, { hostname: address.host, errorHandler: refuseUnreadable })),
    );
    // A client that waits for `100 Continue` gets it when its body is wanted, or its refusal in its place.
    listening.on('checkContinue', (incoming, outgoing) => void listening.emit('request', incoming, outgoing));
    closeUnused(listening, maxConnections, onFull);
    endBrokenRequests(listening, idleMs - headersMs);
    listening.once('error', (error) => reject(explainListenError(error, address.host, address.port)));
    listening.listen(address.port, address.host, () => resolve(listening));
  });
  const { port } = server.address() as AddressInfo;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return { url: `http://${host}:${port}`, stop: () => stopServer(server) };
}

async function stopServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await closed;
  clearTimeout(timer);
}
