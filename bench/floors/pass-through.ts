import { Agent, createServer, request as requestHttp } from 'node:http';
import type { AddressInfo } from 'node:net';

// The least cost of a way through another process: Node's `http` on both sides and a pool; nothing is inspected. Argument: the origin behind it.

const origin = process.argv[2] ?? '';
const agent = new Agent({ keepAlive: true });

const server = createServer((incoming, outgoing) => {
  const { method, url = '', headers } = incoming;
  const upstream = requestHttp(`${origin}${url}`, { method, headers, agent }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
    answer.pipe(outgoing);
  });
  upstream.on('error', () => outgoing.destroy());
  outgoing.once('close', () => outgoing.writableFinished || upstream.destroy());
  incoming.pipe(upstream);
});
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
process.stdin.once('end', () => process.exit(0)).resume();
