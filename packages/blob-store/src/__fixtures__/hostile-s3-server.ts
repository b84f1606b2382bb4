import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** An S3 server on loopback that can be made to misbehave. It checks no signature. */
export type HostileServer = {
  endpoint: string;
  objects: Map<string, Buffer>;
  /** `<method> <path>` of every request, without the query. */
  seen: string[];
  /** Responds in place of the plain behaviour; `undefined` ends it. */
  behave(answering: Answering | undefined): void;
  countConnections(): number;
  close(): Promise<void>;
};

export async function startHostileServer({ ignoresCondition = false } = {}): Promise<HostileServer> {
  const objects = new Map<string, Buffer>();
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  let answering: Answering | undefined;
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '');
    seen.push(`${request.method} ${path}`);
    if (answering !== undefined) return answering(request, response);
    answerPlainly({ objects, ignoresCondition, path, request, response }).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    seen,
    behave(next) {
      answering = next;
    },
    countConnections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Plain = {
  objects: Map<string, Buffer>;
  ignoresCondition: boolean;
  path: string;
  request: IncomingMessage;
  response: ServerResponse;
};

async function answerPlainly({ objects, ignoresCondition, path, request, response }: Plain): Promise<void> {
  const stored = objects.get(path);
  const end = (status: number) => response.writeHead(status).end();
  if (request.method === 'PUT') {
    const isTaken = stored !== undefined && request.headers['if-none-match'] === '*' && !ignoresCondition;
    const body = await buffer(request);
    if (isTaken) return void end(412);
    objects.set(path, body);
    return void end(200);
  }
  if (request.method === 'DELETE') {
    objects.delete(path);
    return void end(204);
  }
  if (stored === undefined) return void end(404);
  response.writeHead(200, { 'content-length': stored.length });
  response.end(request.method === 'HEAD' ? undefined : stored);
}
