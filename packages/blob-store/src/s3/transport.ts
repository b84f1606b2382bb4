import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

// Shorter than servers keep one, so that a request rarely meets a connection that is being closed.
const FREE_CONNECTION_MS = 4_000;

export type HttpMethod = 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
export type OutgoingRequest = {
  method: HttpMethod;
  url: string;
  headers?: Record<string, string>;
  timeoutMs?: number | undefined;
};
export type S3Transport = ReturnType<typeof createTransport>;

/** Connections that are kept and bounded. */
export function createTransport({ connections, idleTimeoutMs }: { connections: number; idleTimeoutMs: number }) {
  const agentOptions = { keepAlive: true, noDelay: true, maxSockets: connections, timeout: FREE_CONNECTION_MS };
  const httpAgent = new HttpAgent(agentOptions);
  const httpsAgent = new HttpsAgent(agentOptions);
  return {
    idleTimeoutMs,
    start({ method, url, headers = {}, timeoutMs = idleTimeoutMs }: OutgoingRequest): ClientRequest {
      const options = { method, headers, timeout: timeoutMs };
      return url.startsWith('https:')
        ? requestHttps(url, { ...options, agent: httpsAgent })
        : requestHttp(url, { ...options, agent: httpAgent });
    },
    /** Ends every connection, also those in use. */
    close(): void {
      httpAgent.destroy();
      httpsAgent.destroy();
    },
  };
}
