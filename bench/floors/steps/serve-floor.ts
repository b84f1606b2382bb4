import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const KEEP_ALIVE_MS = 120_000;

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Serves on a free loopback port, prints the address, and ends at SIGTERM. */
export function serveFloor(handle: Handle): void {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => {
      process.stderr.write(`floor: ${error.stack}\n`);
      if (!response.headersSent) response.writeHead(500);
      response.end(error.message);
    });
  });
  // Longer than its clients are idle between two rounds.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
  endWithRun();
}

/** For programs that listen to the broker alone. */
export function sayReady(): void {
  process.stdout.write('ready\n');
  endWithRun();
}

// Nothing of a floor outlives the run, so that it need not drain. Its input ends with the one who started it.
function endWithRun(): void {
  process.once('SIGTERM', () => process.exit(0));
  process.stdin.once('end', () => process.exit(0)).resume();
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.byteLength });
  response.end(text);
}
