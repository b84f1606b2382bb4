import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Above it even a connection that makes room is closed at once. */
const BEYOND = 64;

/**
 * Bounds the connections of a server. Nobody says who they are before a request does, so one that is opened and not used costs as much as any other:
 * where there is no room left, the one that is unused for longest makes room for the new one.
 */
export function closeUnused(server: Server, maxConnections: number, onFull: () => void = () => {}): void {
  server.maxConnections = maxConnections + BEYOND;
  // In the order in which they became unused.
  const unused = new Set<Socket>();
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    unused.add(socket);
    socket.once('close', () => {
      open -= 1;
      unused.delete(socket);
    });
    if (open <= maxConnections) return;
    onFull();
    const [longest = socket] = unused;
    longest.destroy();
  });
  server.on('drop', onFull);
  // Requests of a connection that are not answered yet.
  const asked = new WeakMap<Socket, number>();
  server.on('request', ({ socket }, outgoing: ServerResponse) => {
    unused.delete(socket);
    asked.set(socket, (asked.get(socket) ?? 0) + 1);
    outgoing.once('close', () => {
      const left = (asked.get(socket) ?? 1) - 1;
      asked.set(socket, left);
      if (left === 0 && !socket.destroyed) unused.add(socket);
    });
  });
}
