import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The treatment of bytes on their way: they are passed on, or the connection is cut in their place. */
export type Passage = 'pass' | 'cut';

export type TcpProxy = {
  /** The same URL, through the proxy. */
  through(url: string): string;
  /** Asked for each piece of bytes. */
  onBytes(decide: (from: 'client' | 'server', bytes: Buffer) => Passage): void;
  close(): Promise<void>;
};

/** Sits between a client and a server on this machine, and cuts where a test says. */
export async function startTcpProxy(serverPort: number): Promise<TcpProxy> {
  let decide: (from: 'client' | 'server', bytes: Buffer) => Passage = () => 'pass';
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect({ host: '127.0.0.1', port: serverPort });
    const cut = () => {
      client.destroy();
      server.destroy();
    };
    for (const [from, source, target] of [
      ['client', client, server],
      ['server', server, client],
    ] as const) {
      sockets.add(source);
      source.on('data', (bytes) => (decide(from, bytes) === 'cut' ? cut() : target.write(bytes)));
      source.on('error', cut).on('close', cut);
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  return {
    through(url) {
      const changed = new URL(url);
      changed.port = String(port);
      return changed.href;
    },
    onBytes(next) {
      decide = next;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
