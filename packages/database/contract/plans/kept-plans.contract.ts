import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { Database } from '../../src/database.ts';
import { acceptMessage, refreshStatistics } from '../../src/index.ts';
import { createAttachment, createPlace, newMessage, type Place } from '../__fixtures__/database-fixtures.ts';

const FILES = 400;

/** Plans that a connection keeps, on a new database of one connection. `open` also ends what it opens with the test. */
export function describeKeptPlans(open: () => Promise<Database>): void {
  it('are made for indexes in memory or on flash', async () => {
    const db = await open();
    expect(await db.call(sql`select to_jsonb(current_setting('random_page_cost'))`)).toBe('1.1');
  });

  it('are made again once tables have grown that were empty, and then read what a step needs [BX-27]', async () => {
    const db = await open();
    const place = await createPlace(db);
    // From the sixth time on a connection keeps the plan of a statement.
    for (let file = 0; file < 10; file += 1) await sendFile(db, place);
    const few = await countRead(db, () => sendFile(db, place));
    for (let file = 0; file < FILES; file += 1) await sendFile(db, place);
    await report(db);
    expect(await refreshStatistics(db)).toBeGreaterThan(0);
    await sendFile(db, place);
    expect(await countRead(db, () => sendFile(db, place))).toBeLessThan(2 * few);
    // Tables with counted statistics are not counted again for a few rows more.
    expect(await refreshStatistics(db)).toBe(0);
  });
}

async function sendFile(db: Database, place: Place): Promise<void> {
  const { attachmentId } = await createAttachment(db, place);
  await acceptMessage(db, newMessage(place, [attachmentId]));
}

/** A connection reports once a second what it has changed and read. */
const report = (db: Database) => db.call(sql`select to_jsonb(pg_stat_force_next_flush()::text)`);

/** Rows that were fetched by an index or a scan. */
async function countRead(db: Database, work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    await report(db);
    return db.call<number>(
      sql`select to_jsonb(sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int) from pg_stat_user_tables where schemaname = 'public'`,
    );
  };
  const before = await read();
  await work();
  return (await read()) - before;
}
