import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request of a client, by its method and its path with the query, and what a server answered. */
export type Exchange = { asked: string; status: number; contentType: string; body: string };

/** A server on a free loopback port. */
export type Played = { url: string; stop(): Promise<void> };

async function listen(server: Server): Promise<Played> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const nameOf = ({ method, url }: IncomingMessage): string => `${method} ${url}`;

/** Passes requests on to a server, and notes what it answers; of a stream what came until the client left. */
export async function recordExchanges(target: string): Promise<Played & { exchanges: Exchange[] }> {
  const exchanges: Exchange[] = [];
  const pass = (asked: IncomingMessage, answer: ServerResponse) => {
    const { method, headers } = asked;
    const passed = request(new URL(asked.url ?? '', target), { method, headers }, (answered) => {
      const { statusCode: status = 0, headers } = answered;
      const exchange = { asked: nameOf(asked), status, contentType: headers['content-type'] ?? '', body: '' };
      exchanges.push(exchange);
      answer.writeHead(status, headers);
      answered.setEncoding('utf8').on('data', (text: string) => {
        exchange.body += text;
        answer.write(text);
      });
      answered.on('end', () => answer.end());
      answered.on('error', () => answer.destroy());
      answer.on('close', () => passed.destroy());
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  };
  return { ...(await listen(createServer(pass))), exchanges };
}

/** Does what that server did: it takes the same requests in their order, and the last of them again and again. What was not asked then is a 404. A stream stays open. */
export function replayExchanges(exchanges: readonly Exchange[]): Promise<Played> {
  const left = Map.groupBy(exchanges, ({ asked }) => asked);
  const replay = (asked: IncomingMessage, answer: ServerResponse) => {
    const waiting = left.get(nameOf(asked)) ?? [];
    const exchange = waiting.length > 1 ? waiting.shift() : waiting[0];
    asked.resume();
    asked.on('end', () => {
      answer.writeHead(exchange?.status ?? 404, { 'content-type': exchange?.contentType ?? 'text/plain' });
      answer.write(exchange?.body ?? '');
      if (!exchange?.contentType.startsWith('text/event-stream')) answer.end();
    });
  };
  return listen(createServer(replay));
}
