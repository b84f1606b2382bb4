import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const statuses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
};

/**
 * Answers a request that breaks off in its headers, and ends its connection. A connection that was opened and not used yet is none of these:
 * clients keep such ones for their next request, which must not meet a refusal of a request that nobody made. It is closed without a word
 * `graceMs` after the time for headers: it costs no more than one that is idle between two requests.
 */
export function endBrokenRequests(server: Server, graceMs: number): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket & { _httpMessage?: { _headerSent?: boolean } };
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) {
      socket.setTimeout(graceMs, () => socket.bytesRead === 0 && socket.destroy());
      return;
    }
    // In the midst of an answer there is no place for another one.
    if (socket.writable && socket._httpMessage?._headerSent !== true)
      socket.write(`HTTP/1.1 ${statuses[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
    socket.destroySoon();
  });
}
