import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as yieldTurn } from 'node:timers/promises';

// A model API behind the relay and the bare pass-through: reads the body whole, then answers with as many events as `x-events` says. Without
// it the answer begins and does not end.

const EVENT = `data: {"type":"content_block_delta","delta":{"text":"${'word '.repeat(20)}"}}\n\n`;

const server = createServer(async (request, response) => {
  for await (const _ of request);
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  const { 'x-events': events } = request.headers;
  if (events === undefined) return response.write(EVENT);
  for (let sent = 0; sent < Number(events); sent += 1) {
    response.write(EVENT);
    await yieldTurn();
  }
  response.end();
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
process.stdin.once('end', () => process.exit(0)).resume();
