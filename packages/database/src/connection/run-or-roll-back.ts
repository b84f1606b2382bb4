import type { Database, Tx } from '../database.ts';

class RolledBack<T> extends Error {
  readonly answer: T;

  constructor(answer: T) {
    super('rolled back on purpose');
    this.answer = answer;
  }
}

/** Runs a transaction of a tenant that may end with an answer and without an effect: `rollBack` ends it so. */
export async function runOrRollBack<T>(
  db: Database,
  tenantId: string,
  work: (tx: Tx, rollBack: (answer: T) => never) => Promise<T>,
): Promise<T> {
  try {
    return await db.asTenant(tenantId, (tx) =>
      work(tx, (answer) => {
        throw new RolledBack(answer);
      }),
    );
  } catch (error) {
    if (error instanceof RolledBack) return error.answer;
    throw error;
  }
}
