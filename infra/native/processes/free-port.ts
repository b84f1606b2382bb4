import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';

const LOWEST_PORT = 12_000;
const ATTEMPTS = 100;

/**
 * A loopback port on which nothing listens. It lies below the range from which the system takes the ports of outgoing connections: a client
 * that knocks at a killed server's port in that range can be connected to itself, and the server never gets its port back.
 */
export async function findFreePort(): Promise<number> {
  const range = await readFile('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').catch(() => '32768 60999');
  const end = Math.max(Number.parseInt(range, 10), LOWEST_PORT + 1_000);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(LOWEST_PORT, end);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port was found between ${LOWEST_PORT} and ${end}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const failed = once(server, 'error').then(() => false);
  const listening = once(server.listen(port, '127.0.0.1'), 'listening').then(
    () => true,
    () => false,
  );
  if (!(await Promise.race([listening, failed]))) return false;
  server.close();
  await once(server, 'close');
  return true;
}
