import { createTurns, stopping } from '../turns.ts';

/** A connection of a pool: it can break and must be closed. */
export type PooledConnection = { openedAtMs: number; isBroken(): boolean; close(): Promise<void> };

export type PoolOptions<C> = {
  open(): Promise<C>;
  size: number;
  /** How many may wait for a connection; one more is refused at once. */
  maxWaiting: number;
  waitTimeoutMs: number;
};

export type ConnectionPool<C> = {
  /** Lends a connection to `work` when its tenant's turn comes. Throws `DATABASE_UNAVAILABLE` where none came free in time. */
  use<T>(work: (connection: C) => Promise<T>, tenantId?: string): Promise<T>;
  /** Refuses new work, waits up to `timeoutMs` for what runs, and closes everything. */
  close(timeoutMs: number): Promise<void>;
};

const IDLE_MS = 60_000;
const MAX_AGE_MS = 30 * 60_000;

/** A pool with a bound on what it opens, who waits and how long. The one used last is lent first, so that the others may rest. */
export function createConnectionPool<C extends PooledConnection>(options: PoolOptions<C>): ConnectionPool<C> {
  const turns = createTurns(options);
  const idle = createIdleList<C>();
  const lent = new Set<C>();
  let isClosing = false;

  async function lend<T>(work: (connection: C) => Promise<T>): Promise<T> {
    const connection = idle.take() ?? (await options.open());
    lent.add(connection);
    try {
      return await work(connection);
    } finally {
      lent.delete(connection);
      if (isClosing) void connection.close();
      else idle.give(connection);
    }
  }

  return {
    async use(work, tenantId) {
      if (isClosing) throw stopping();
      return turns.run(tenantId, () => lend(work));
    },
    async close(timeoutMs) {
      isClosing = true;
      turns.refuseAll();
      const deadline = performance.now() + timeoutMs;
      while (lent.size > 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
      await Promise.all([...lent, ...idle.takeAll()].map((connection) => connection.close()));
    },
  };
}

function createIdleList<C extends PooledConnection>() {
  const idle: { connection: C; sinceMs: number }[] = [];
  return {
    take(): C | undefined {
      for (let entry = idle.pop(); entry; entry = idle.pop()) {
        if (!entry.connection.isBroken()) return entry.connection;
        void entry.connection.close();
      }
      return undefined;
    },
    give(connection: C) {
      const now = performance.now();
      const isWorn = connection.isBroken() || now - connection.openedAtMs > MAX_AGE_MS;
      if (isWorn) void connection.close();
      else idle.push({ connection, sinceMs: now });
      while (idle[0] && now - idle[0].sinceMs > IDLE_MS) void idle.shift()?.connection.close();
    },
    takeAll: () => idle.splice(0).map(({ connection }) => connection),
  };
}
