import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Fault } from '@attache/contracts';
import { describeProblem } from '../problem-response.ts';

const statuses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
};

const unreadable = () =>
  new Fault(
    'INVALID_REQUEST',
    'This is no HTTP request that can be read. An address holds ASCII alone: percent-encode the rest.',
  );

/** The whole answer, by Node's description of the failure. */
function composeAnswer(code: string): string {
  const status = statuses[code];
  if (status !== undefined) return `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`;
  const body = JSON.stringify(describeProblem(unreadable(), randomUUID()));
  const headers = [
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `HTTP/1.1 400 Bad Request\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

/**
 * Responds to a request that fails before its headers are complete, and closes its connection. A connection that a client has opened but not used
 * yet gets no such answer: clients keep these for their next request, which would read the 408 as its own answer. The server closes it silently,
 * `graceMs` after the headers timeout, because it costs no more than a connection that is idle between two requests.
 */
export function endBrokenRequests(server: Server, graceMs: number): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket & { _httpMessage?: { _headerSent?: boolean } };
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) {
      // A limit of the socket itself would also end the requests that come later.
      const timer = setTimeout(() => socket.bytesRead === 0 && socket.destroy(), graceMs);
      socket.once('close', () => clearTimeout(timer));
      return;
    }
    // Half of another answer may already be on the wire.
    if (socket.writable && socket._httpMessage?._headerSent !== true) socket.write(composeAnswer(error.code ?? ''));
    socket.destroySoon();
  });
}
