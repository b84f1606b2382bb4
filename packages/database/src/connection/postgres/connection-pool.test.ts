import { expect, it } from 'vitest';
import { createConnectionPool, type PooledConnection, type PoolOptions } from './connection-pool.ts';

type Counted = PooledConnection & { id: number; breakOff(): void };

function countConnections() {
  const opened: Counted[] = [];
  let closed = 0;
  const open = async (): Promise<Counted> => {
    let isBroken = false;
    const connection: Counted = {
      ...{ id: opened.length, openedAtMs: performance.now(), isBroken: () => isBroken },
      breakOff: () => {
        isBroken = true;
      },
      close: async () => {
        closed += 1;
      },
    };
    opened.push(connection);
    return connection;
  };
  return { open, opened, closed: () => closed };
}

function createPool(given: Partial<PoolOptions<Counted>> = {}) {
  const counted = countConnections();
  return {
    ...counted,
    pool: createConnectionPool({ open: counted.open, size: 2, maxWaiting: 100, waitTimeoutMs: 1000, ...given }),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('opens no more than its size, however many come, and serves all of them', async () => {
  const { pool, opened } = createPool();
  let atOnce = 0;
  let most = 0;
  const work = async () => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    await turn();
    atOnce -= 1;
    return 'done';
  };
  const served = await Promise.all(Array.from({ length: 50 }, () => pool.use(work)));
  expect({ served: new Set(served), most, opened: opened.length }).toEqual({
    served: new Set(['done']),
    most: 2,
    opened: 2,
  });
});

it('replaces a broken connection, and gives the turn back when opening or working fails', async () => {
  const { pool, opened, closed } = createPool({ size: 1 });
  await pool.use(async (connection) => connection.breakOff());
  await expect(pool.use(() => Promise.reject(new Error('work failed')))).rejects.toThrow('work failed');
  expect({ opened: opened.length, closed: closed() }).toEqual({ opened: 2, closed: 1 });
  const failing = createPool({ size: 1, open: () => Promise.reject(new Error('no server')) });
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await expect(failing.pool.use(turn)).rejects.toThrow('no server');
  }
});

it('refuses whoever waits when it closes, waits for those who work, and closes what is open', async () => {
  const { pool, closed } = createPool({ size: 1 });
  let end = () => {};
  const working = pool.use(() => new Promise<void>((resolve) => (end = resolve)));
  const waiting = pool.use(turn);
  await turn();
  const closing = pool.close(1000);
  await expect(waiting).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryable: true });
  end();
  await working;
  await closing;
  await expect(pool.use(turn)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  expect(closed()).toBe(1);
});
