import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bundleEntry } from './bundle-entry.ts';

export type ServedPage = { url: string; origin: string; close(): Promise<void> };

/** A page that holds the suite and does nothing by itself. */
export async function servePage(): Promise<ServedPage> {
  const script = await bundleEntry('page');
  const server = createServer((request, response) => {
    const isScript = request.url === '/suite.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : '<!doctype html><script type="module" src="/suite.js"></script>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/`,
    origin,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
