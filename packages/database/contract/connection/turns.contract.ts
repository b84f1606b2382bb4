import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { readStoredAttachments } from '../../src/attachment/attachment-reader.ts';
import type { Database, Tx } from '../../src/database.ts';
import { createPlace } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const MANY = 300;
const select = (tx: Tx) => tx.execute(sql`select 1`);

const ways: [string, (db: Database, tenantId: string) => Promise<unknown>][] = [
  ['asTenant', (db, tenantId) => db.asTenant(tenantId, select)],
  ['readAsTenant', (db, tenantId) => db.readAsTenant(tenantId, select)],
  ['a function that enters a tenant', (db, tenantId) => readStoredAttachments(db, tenantId, [])],
];

/** The turns of tenants at the connections. */
export function describeTurns({ useDb }: DatabaseSuite): void {
  it.each(ways)(`serve one tenant amid ${MANY} requests of another by %s [BX-27]`, async (_name, ask) => {
    const db = useDb();
    const [busy, quiet] = await Promise.all([createPlace(db), createPlace(db)]);
    let served = 0;
    const crowd = Array.from({ length: MANY }, async () => {
      await ask(db, busy.tenantId);
      served += 1;
    });
    await ask(db, quiet.tenantId);
    const servedBefore = served;
    await Promise.all(crowd);
    // Only the requests that had a connection already, and one more on each, came first.
    expect(servedBefore).toBeLessThan(MANY / 3);
  });
}
