import { get } from 'node:http';
import { connect, type Socket } from 'node:net';

const PROBE_TIMEOUT_MS = 2_000;

/** Status of the answer to a GET on a loopback port; undefined if none came. */
export function probeHttp(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, agent: false, timeout: PROBE_TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(undefined)).once('close', () => resolve(undefined));
  });
}

/** First bytes that a server on a loopback port sends, after the greeting if one is given; empty if it sends none. */
export function probeTcp(port: number, greeting?: Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket: Socket = connect({ host: '127.0.0.1', port });
    socket.setTimeout(PROBE_TIMEOUT_MS, () => socket.destroy());
    socket.once('connect', () => greeting && socket.write(greeting));
    socket.once('data', (bytes) => {
      resolve(bytes);
      socket.destroy();
    });
    socket.once('error', () => resolve(Buffer.alloc(0))).once('close', () => resolve(Buffer.alloc(0)));
  });
}
