import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { storeFile } from './steps/store-file.ts';

// The least cost of an upload: HTTP, sha256, a file, fsync. No credential, no limit, no record, no second file to rename.
// Argument: the folder of the files. Prints its address when it listens; ends at SIGTERM and with its input.

const [folder = '.'] = process.argv.slice(2);

async function store(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sha256 = await storeFile(join(folder, randomUUID()), request);
  response.writeHead(201, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ sha256 }));
}

const server = createServer((request, response) => {
  store(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
// Its input ends with the one who started it.
process.stdin.once('end', () => process.exit(0)).resume();
