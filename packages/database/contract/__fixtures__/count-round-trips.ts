import type { Database, Tx } from '../../src/database.ts';

const statements = new Set<PropertyKey>([
  'select',
  'selectDistinct',
  'insert',
  'update',
  'delete',
  'execute',
  '$count',
]);

/** The same database, and how often its user had to wait for it since the last `take`: once for each statement, and once for each commit. */
export function countRoundTrips(db: Database): { db: Database; take(): number } {
  let trips = 0;
  const counted = (tx: Tx): Tx =>
    new Proxy(tx, {
      get(target, property) {
        const value = Reflect.get(target, property);
        if (property === 'query') trips += 1;
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          if (statements.has(property)) trips += 1;
          return Reflect.apply(value, target, args);
        };
      },
    });
  const transact = async <T>(run: (work: (tx: Tx) => Promise<T>) => Promise<T>, work: (tx: Tx) => Promise<T>) => {
    const result = await run((tx) => work(counted(tx)));
    trips += 1;
    return result;
  };
  return {
    db: {
      asTenant: (tenantId, work) => transact((run) => db.asTenant(tenantId, run), work),
      asWorker: (work) => transact((run) => db.asWorker(run), work),
      // It answers before its end.
      readAsTenant: (tenantId, work) => db.readAsTenant(tenantId, (tx) => work(counted(tx))),
      call(statement, options) {
        trips += 1;
        return db.call(statement, options);
      },
      get fallbackMs() {
        return db.fallbackMs;
      },
      tidy: () => db.tidy(),
      checkReady: () => db.checkReady(),
      close: () => db.close(),
    },
    take() {
      const taken = trips;
      trips = 0;
      return taken;
    },
  };
}
