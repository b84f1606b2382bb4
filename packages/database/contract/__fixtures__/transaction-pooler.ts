import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { readMessages } from './wire-messages.ts';

/** A server connection that is logged in. Its answers go to the client that holds it. */
type ServerConnection = { socket: Socket; holder: ((bytes: Buffer, isIdle: boolean) => void) | undefined };

export type TransactionPooler = {
  through(url: string): string;
  close(): Promise<void>;
};

const SSL_REQUEST = 80_877_103;
const FAKE_PID = 4_000_000;
const CONNECTIONS = 2;

/**
 * A pooler in transaction mode: clients log in with the real server, then share two server connections, each lent for one
 * transaction and taken back when the server says that it is idle.
 */
export async function startTransactionPooler(serverPort: number): Promise<TransactionPooler> {
  const idle: ServerConnection[] = [];
  const waiting: ((server: ServerConnection) => void)[] = [];
  const sockets = new Set<Socket>();
  let pooled = 0;
  let logins = 0;

  const giveBack = (server: ServerConnection) => {
    server.holder = undefined;
    const next = waiting.shift();
    if (next) next(server);
    else idle.push(server);
  };
  const lend = (take: (server: ServerConnection) => void) => {
    const server = idle.pop();
    if (server) take(server);
    else waiting.push(take);
  };

  const serve = (client: Socket) => {
    sockets.add(client);
    client.on('error', () => client.destroy());
    client.once('data', (startup: Buffer) => {
      if (startup.readInt32BE(4) === SSL_REQUEST) {
        client.write('N');
        client.once('data', (next: Buffer) => logIn(client, next));
      } else logIn(client, startup);
    });
  };

  const logIn = (client: Socket, startup: Buffer) => {
    const server: ServerConnection = { socket: connect({ host: '127.0.0.1', port: serverPort }), holder: undefined };
    sockets.add(server.socket);
    server.socket.write(startup);
    const forward = (bytes: Buffer) => void server.socket.write(bytes);
    client.on('data', forward);
    server.socket
      .on('error', () => server.socket.destroy())
      .on('close', () => server.holder === undefined && client.destroy());
    const read = readMessages((type, message) => {
      if (server.holder) {
        server.holder(message, type === 'Z' && message.toString('latin1', 5) === 'I');
        return;
      }
      // The pooler's own key: the client must not learn which server connection it has.
      if (type === 'K') message.writeInt32BE(FAKE_PID + ++logins, 5);
      client.write(message);
      if (type !== 'Z') return;
      client.off('data', forward);
      if (pooled < CONNECTIONS) {
        pooled += 1;
        giveBack(server);
      } else {
        server.holder = () => {};
        server.socket.end();
      }
      pool(client, lend, giveBack);
    });
    server.socket.on('data', read);
  };

  const listener = createServer(serve);
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    through(url) {
      const changed = new URL(url);
      changed.port = String(port);
      return changed.href;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}

/** From now on the client has a server connection only while a transaction runs. */
function pool(
  client: Socket,
  lend: (take: (server: ServerConnection) => void) => void,
  giveBack: (server: ServerConnection) => void,
): void {
  let held: ServerConnection | undefined;
  let isAsked = false;
  let unanswered = 0;
  let kept: Buffer[] = [];
  const take = (server: ServerConnection) => {
    isAsked = false;
    if (client.destroyed) {
      giveBack(server);
      return;
    }
    held = server;
    server.holder = (bytes, isIdle) => {
      client.write(bytes);
      if (bytes[0] === 'Z'.charCodeAt(0)) unanswered -= 1;
      if (!isIdle || unanswered > 0) return;
      held = undefined;
      giveBack(server);
    };
    for (const bytes of kept.splice(0)) server.socket.write(bytes);
  };
  client.on(
    'data',
    readMessages((type, message) => {
      if (type === 'X') {
        client.end();
        return;
      }
      // Query and Sync are answered by one ReadyForQuery each.
      if (type === 'Q' || type === 'S') unanswered += 1;
      if (held) {
        held.socket.write(message);
        return;
      }
      kept.push(message);
      if (isAsked) return;
      isAsked = true;
      lend(take);
    }),
  );
  client.on('close', () => {
    kept = [];
    // In the middle of a transaction: nobody else may get it.
    held?.socket.destroy();
  });
}
