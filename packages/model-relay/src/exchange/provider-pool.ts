import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { RelayLimits } from '../relay-limits.ts';

export type ProviderPool = ReturnType<typeof createProviderPool>;

export type ProviderRequest = { origin: URL; method: string; path: string; headers: string[] };

/** Kept connections to the providers, shared by all agents. */
export function createProviderPool({ connectMs, keepAliveMs, headerBytes, maxSockets }: RelayLimits) {
  const agentOptions = { keepAlive: true, noDelay: true, maxSockets, timeout: keepAliveMs };
  const httpAgent = new HttpAgent(agentOptions);
  const httpsAgent = new HttpsAgent(agentOptions);
  return {
    /** Fails with the code ETIMEDOUT where no connection is there in time. Follows no redirect. */
    start({ origin, method, path, headers }: ProviderRequest): ClientRequest {
      // Strictness is not left to the flags of the process.
      const options = { method, path, headers, maxHeaderSize: headerBytes, insecureHTTPParser: false };
      const request =
        origin.protocol === 'https:'
          ? requestHttps(origin, { ...options, agent: httpsAgent })
          : requestHttp(origin, { ...options, agent: httpAgent });
      request.maxHeadersCount = 0;
      limitConnecting(request, connectMs);
      return request;
    },
    /** Ends every connection, also those in use. */
    close(): void {
      httpAgent.destroy();
      httpsAgent.destroy();
    },
  };
}

function limitConnecting(request: ClientRequest, connectMs: number): void {
  const end = () => request.destroy(Object.assign(new Error('No connection in time.'), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(end, connectMs);
  const stop = () => clearTimeout(timer);
  request.once('close', stop);
  request.once('socket', (socket) => {
    if (!socket.connecting) return stop();
    socket.once('encrypted' in socket ? 'secureConnect' : 'connect', stop);
  });
}
