import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** `cut`: connections break and none is taken. `hung`: nothing passes, and nobody learns of it. */
export type LinkState = 'open' | 'cut' | 'hung' | { delayMs: number };

/** A TCP link of one process to one server, which a test can cut. */
export type LinkProxy = {
  readonly port: number;
  set(state: LinkState): void;
  close(): Promise<void>;
};

export async function openLinkProxy(target: { host: string; port: number }): Promise<LinkProxy> {
  let state: LinkState = 'open';
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer({ pauseOnConnect: true }, (near) => {
    if (state === 'cut') return void near.destroy();
    const far = connect(target);
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.once('close', end).on('error', () => {});
    pass(near, far, () => state);
    pass(far, near, () => state);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      state = next;
      if (state === 'cut') for (const socket of [...pairs].flat()) socket.resetAndDestroy();
    },
    async close() {
      for (const socket of [...pairs].flat()) socket.destroy();
      server.close();
      await once(server, 'close').catch(() => {});
    },
  };
}

const LOOK_MS = 20;

/** One chunk after the other, each under the state that holds when it comes. */
async function pass(from: Socket, to: Socket, readState: () => LinkState): Promise<void> {
  from.resume();
  try {
    for await (const chunk of from) {
      while (readState() === 'hung') await delay(LOOK_MS);
      const state = readState();
      if (typeof state === 'object') await delay(state.delayMs);
      if (to.destroyed) return;
      if (!to.write(chunk)) await once(to, 'drain');
    }
    to.end();
  } catch {
    to.destroy();
  }
}
