import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Acts as a provider of models: keeps the keys and bodies that it was given, and accepts everything, or as a test says. */
export type ModelProvider = {
  url: string;
  keys: (string | undefined)[];
  bodies: string[];
  /** Undefined: an empty object. */
  behave(answer: ((response: ServerResponse, body: string) => void) | undefined): void;
  stop(): Promise<void>;
};

export async function startModelProvider(): Promise<ModelProvider> {
  const keys: ModelProvider['keys'] = [];
  const bodies: string[] = [];
  let answer: Parameters<ModelProvider['behave']>[0];
  const server = createServer(async (request, response) => {
    const key = request.headers['x-api-key'];
    keys.push(key === undefined ? undefined : Buffer.from(String(key), 'latin1').toString());
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    bodies.push(body);
    response.setHeader('content-type', 'application/json');
    if (answer === undefined) response.end('{}');
    else answer(response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ keys, bodies },
    behave(next) {
      answer = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
