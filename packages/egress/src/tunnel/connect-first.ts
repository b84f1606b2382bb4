import { connect, type Socket } from 'node:net';

const MAX_ADDRESSES = 4;

/** Connects to the first of these addresses that accepts, one after the other. Undefined if none does in time, or `isWanted` says no. */
export async function connectFirst(
  addresses: readonly string[],
  port: number,
  { timeoutMs, isWanted }: { timeoutMs: number; isWanted: () => boolean },
): Promise<Socket | undefined> {
  const endsAtMs = performance.now() + timeoutMs;
  const tried = addresses.slice(0, MAX_ADDRESSES);
  for (const [index, address] of tried.entries()) {
    const leftMs = endsAtMs - performance.now();
    if (leftMs <= 0 || !isWanted()) return undefined;
    // The last one gets what is left of the time.
    const socket = await connectTo(address, port, leftMs / (tried.length - index));
    if (socket !== undefined) return socket;
  }
  return undefined;
}

function connectTo(host: string, port: number, timeoutMs: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const fail = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(undefined);
    };
    const timer = setTimeout(fail, timeoutMs);
    socket.once('error', fail).once('connect', () => {
      clearTimeout(timer);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
