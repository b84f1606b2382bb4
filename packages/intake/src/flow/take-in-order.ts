import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that one connection may send ahead of their answers. */
const MAX_AHEAD = 64;

/**
 * A request that is sent before the one before it is answered begins when that is: a connection never has more than one under way, however many it
 * sends. One that sends too many ahead is closed.
 */
export function takeInOrder(listener: RequestListener): RequestListener {
  const ahead = new WeakMap<Socket, number>();
  return (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // Node gives a response its connection when the ones before it are out.
    if (outgoing.socket !== null) return listener(incoming, outgoing);
    const { socket } = incoming;
    const count = (ahead.get(socket) ?? 0) + 1;
    if (count > MAX_AHEAD) return void socket.destroy();
    ahead.set(socket, count);
    outgoing.once('socket', () => {
      ahead.set(socket, (ahead.get(socket) ?? 1) - 1);
      listener(incoming, outgoing);
    });
  };
}
