import type { PGlite, Transaction } from '@electric-sql/pglite';

/**
 * PGlite answers in microtasks, so a chain of queries would hold the event loop until its end. Behind this gate every query
 * waits its turn in one queue and gives the loop a turn before its answer is used.
 */
export type GatedPglite = Pick<PGlite, 'query' | 'exec' | 'transaction'>;

const yieldTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function runGated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await yieldTurn();
  }
}

function gateTransaction(tx: Transaction): Transaction {
  return new Proxy(tx, {
    get(target, property) {
      if (property === 'query')
        return (...args: Parameters<Transaction['query']>) => runGated(() => target.query(...args));
      if (property === 'exec')
        return (...args: Parameters<Transaction['exec']>) => runGated(() => target.exec(...args));
      return Reflect.get(target, property, target);
    },
  });
}

export function gateQueries(client: PGlite): GatedPglite {
  let tail: Promise<unknown> = Promise.resolve();
  const enqueue = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = tail.then(() => runGated(work));
    tail = turn.catch(() => {});
    return turn;
  };
  return {
    query: (...args: Parameters<PGlite['query']>) => enqueue(() => client.query(...args)),
    exec: (...args: Parameters<PGlite['exec']>) => enqueue(() => client.exec(...args)),
    transaction: (work) => enqueue(() => client.transaction((tx) => work(gateTransaction(tx)))),
  } as GatedPglite;
}
