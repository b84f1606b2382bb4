import { Fault } from '@attache/contracts';

/** What a pool holds: something that can break and must be closed. */
export type PooledConnection = { openedAtMs: number; isBroken(): boolean; close(): Promise<void> };

export type PoolOptions<C> = {
  open(): Promise<C>;
  size: number;
  /** How many may wait for a connection; one more is refused at once. */
  maxWaiting: number;
  waitTimeoutMs: number;
};

export type ConnectionPool<C> = {
  /** Lends a connection to `work`. Throws `DATABASE_UNAVAILABLE` where none came free in time. */
  use<T>(work: (connection: C) => Promise<T>): Promise<T>;
  /** Refuses new work, waits up to `timeoutMs` for what runs, and closes everything. */
  close(timeoutMs: number): Promise<void>;
};

const IDLE_MS = 60_000;
const MAX_AGE_MS = 30 * 60_000;

const refuse = (message: string) =>
  new Fault('DATABASE_UNAVAILABLE', message, { retryable: true, retryAfterSeconds: 1 });

/** A pool with a bound on what it opens, who waits and how long. The one used last is lent first, so that the others may rest. */
export function createConnectionPool<C extends PooledConnection>(options: PoolOptions<C>): ConnectionPool<C> {
  const turns = createTurns(options);
  const idle = createIdleList<C>();
  const lent = new Set<C>();
  let isClosing = false;

  return {
    async use(work) {
      if (isClosing) throw refuse('This process is stopping.');
      await turns.take();
      let connection: C | undefined;
      try {
        connection = idle.take() ?? (await options.open());
        lent.add(connection);
        return await work(connection);
      } finally {
        if (connection) {
          lent.delete(connection);
          if (isClosing) void connection.close();
          else idle.give(connection);
        }
        turns.giveBack();
      }
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

type Waiter = { resolve(): void; reject(error: Fault): void };

/** Who may have a connection: `size` at once, the others in the order in which they came. */
function createTurns({ size, maxWaiting, waitTimeoutMs }: Omit<PoolOptions<never>, 'open'>) {
  const waiting = new Set<Waiter>();
  let taken = 0;
  const wait = () =>
    new Promise<void>((resolve, reject) => {
      const waiter: Waiter = { resolve, reject };
      const timer = setTimeout(() => {
        waiting.delete(waiter);
        reject(refuse('All connections to the database are in use. Try again in a moment.'));
      }, waitTimeoutMs);
      waiter.resolve = () => {
        clearTimeout(timer);
        resolve();
      };
      waiter.reject = (error) => {
        clearTimeout(timer);
        reject(error);
      };
      waiting.add(waiter);
    });
  return {
    async take() {
      if (taken < size) taken += 1;
      else if (waiting.size < maxWaiting) await wait();
      else throw refuse('Too many requests wait for the database. Try again in a moment.');
    },
    giveBack() {
      const [next] = waiting;
      if (!next) {
        taken -= 1;
        return;
      }
      // The turn passes on: nobody can come in between.
      waiting.delete(next);
      next.resolve();
    },
    refuseAll() {
      for (const waiter of waiting) waiter.reject(refuse('This process is stopping.'));
      waiting.clear();
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
