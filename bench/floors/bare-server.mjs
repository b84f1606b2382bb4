import { createServer } from 'node:http';

// The least that a start costs: Node, its http module, a listening socket. Plain JavaScript, as the product's bundle is.

const server = createServer((_request, response) => response.end('ok\n'));
server.listen(0, '127.0.0.1', () => process.stdout.write(`Operations: http://127.0.0.1:${server.address().port}\n`));
process.once('SIGTERM', () => process.exit(0));
