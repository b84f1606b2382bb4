import { Fault, isFault } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import type { Database, Tx } from '../database.ts';

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 2_000;

// A wait keeps no process alive that has nothing else to do.
const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms).unref());

/** Says that an answer is still wanted, for this long from now. */
export function createTimeLimit(forMs: number): () => boolean {
  const until = Date.now() + forMs;
  return () => Date.now() < until;
}

/** Waits a little longer each time, up to two seconds. */
function createBackoff(): () => Promise<void> {
  let delayMs = FIRST_DELAY_MS;
  return async () => {
    await pause(delayMs);
    delayMs = Math.min(MAX_DELAY_MS, delayMs * 2);
  };
}

const isDown = (error: unknown): boolean => isFault(error, 'DATABASE_UNAVAILABLE');

/** Repeats work that may be repeated, while the database does not answer and the answer is still wanted. */
export async function untilAnswered<T>(work: () => Promise<T>, isWanted: () => boolean): Promise<T> {
  const wait = createBackoff();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDown(error) || !isWanted()) throw error;
    }
    await wait();
  }
}

type TransactionStatus = 'committed' | 'aborted' | 'in progress' | null;

const outcomeUnknown = () =>
  new Fault('DATABASE_UNAVAILABLE', 'The database did not say in time what became of a commit.', { retryable: true });

async function readOutcome(db: Database, transactionId: string, isWanted: () => boolean): Promise<TransactionStatus> {
  const wait = createBackoff();
  for (;;) {
    const status = await untilAnswered(
      () => db.call<TransactionStatus>(sql`select to_jsonb(pg_xact_status(${transactionId}::xid8))`),
      isWanted,
    );
    if (status !== 'in progress') return status;
    // A server that has not noticed the end of the connection may say so for hours.
    if (!isWanted()) throw outcomeUnknown();
    await wait();
  }
}

/**
 * Runs a transaction of a tenant until it is committed once, through outages of the database: where the answer to a commit was
 * lost, the database itself says what became of it (W4). `work` may run several times, so that it must do nothing outside the
 * transaction; it names its transaction by `mark`. Gives up with `DATABASE_UNAVAILABLE` once it is no longer wanted.
 */
export async function runDurably<T>(
  db: Database,
  tenantId: string,
  work: (tx: Tx, mark: (transactionId: string) => void) => Promise<T>,
  isWanted: () => boolean,
): Promise<T> {
  const wait = createBackoff();
  for (;;) {
    let transactionId: string | undefined;
    let done: { result: T } | undefined;
    try {
      return await db.asTenant(tenantId, async (tx) => {
        const result = await work(tx, (id) => {
          transactionId = id;
        });
        done = { result };
        return result;
      });
    } catch (error) {
      if (!isDown(error) || !isWanted()) throw error;
    }
    if (done && transactionId !== undefined) {
      if ((await readOutcome(db, transactionId, isWanted)) === 'committed') return (done as { result: T }).result;
    }
    await wait();
  }
}
