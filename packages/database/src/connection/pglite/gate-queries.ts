import type { PGlite, Transaction } from '@electric-sql/pglite';

/**
 * PGlite returns results in microtasks, so a chain of queries would hold the event loop until its end. Behind this gate every query waits its turn in one queue
 * and gives the loop a turn before its result is used.
 */
export type GatedPglite = Pick<PGlite, 'query' | 'exec' | 'execProtocol' | 'transaction'> & {
  /** Runs several statements with nothing of others between them. */
  runAlone<T>(work: (client: Pick<PGlite, 'exec'>) => Promise<T>): Promise<T>;
};

const yieldTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function runGated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await yieldTurn();
  }
}

type QueryArguments = Parameters<PGlite['query']>;

// PGlite copies its table of some hundred parsers for each query that brings parsers, and drizzle always brings the same few:
// that costs more than a small query itself. They are kept in the table instead.
function keepParsers(client: PGlite, [statement, parameters, options]: QueryArguments): QueryArguments {
  if (options?.parsers === undefined) return [statement, parameters, options];
  const { parsers, ...rest } = options;
  Object.assign(client.parsers, parsers);
  return [statement, parameters, rest];
}

function gateTransaction(client: PGlite, tx: Transaction): Transaction {
  return new Proxy(tx, {
    get(target, property) {
      if (property === 'query')
        return (...args: QueryArguments) => runGated(() => target.query(...keepParsers(client, args)));
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
    query: (...args: QueryArguments) => enqueue(() => client.query(...keepParsers(client, args))),
    exec: (...args: Parameters<PGlite['exec']>) => enqueue(() => client.exec(...args)),
    execProtocol: (...args: Parameters<PGlite['execProtocol']>) => enqueue(() => client.execProtocol(...args)),
    transaction: (work) => enqueue(() => client.transaction((tx) => work(gateTransaction(client, tx)))),
    runAlone: (work) => enqueue(() => work(client)),
  } as GatedPglite;
}
