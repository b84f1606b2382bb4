import { createServer as createHttpServer, request as forward } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** How a test has something done at its end. */
type AtEnd = (close: () => void) => void;

async function listen(server: Server, atEnd: AtEnd): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A NATS server of another version: it greets, and answers pings. */
export async function serveOldNats(version: string, atEnd: AtEnd): Promise<string> {
  const info = {
    server_id: 'OLD',
    version,
    go: 'go1.19',
    host: '127.0.0.1',
    headers: true,
    max_payload: 1_048_576,
    proto: 1,
  };
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write(`INFO ${JSON.stringify({ ...info, jetstream: true })}\r\n`);
    socket.on('data', (data) => {
      if (data.toString().includes('PING')) socket.write('PONG\r\n');
    });
  });
  return `nats://127.0.0.1:${await listen(server, atEnd)}`;
}

/** An S3 server that ignores the condition on a PUT: the real one behind a proxy that drops the header, which nobody signed. */
export async function serveWithoutConditions(endpoint: string, atEnd: AtEnd): Promise<string> {
  const server = createHttpServer((request, response) => {
    const { 'if-none-match': _dropped, ...headers } = request.headers;
    const options = { method: request.method, headers };
    const passed = forward(new URL(request.url ?? '/', endpoint), options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  return `http://127.0.0.1:${await listen(server, atEnd)}`;
}
