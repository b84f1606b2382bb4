import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What stands for a provider of models: it answers everything, and keeps the keys that it was given. */
export type ModelProvider = { url: string; keys: (string | undefined)[]; stop(): Promise<void> };

export async function startModelProvider(): Promise<ModelProvider> {
  const keys: ModelProvider['keys'] = [];
  const server = createServer((request, response) => {
    const key = request.headers['x-api-key'];
    keys.push(key === undefined ? undefined : Buffer.from(String(key), 'latin1').toString());
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
