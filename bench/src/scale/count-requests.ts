import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

const REQUEST_LINE = /(?:^|\n)(?:GET|PUT|POST|HEAD|DELETE) \S+ HTTP\/1\.1\r/g;

/** A way to an HTTP server on which its requests are counted. */
export type CountedWay = { url: string; count(): number; close(): void };

/** Passes bytes on as they are, and counts the lines that begin a request. */
export async function openCountedWay(target: string): Promise<CountedWay> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let requestCount = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    client.on('data', (chunk) => {
      requestCount += chunk.toString('latin1').match(REQUEST_LINE)?.length ?? 0;
    });
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => requestCount,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
