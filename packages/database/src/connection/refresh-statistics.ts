import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';

/**
 * Has plans made again over tables that have grown fourfold since their rows were counted, up to a thousand rows: connections keep the plans of their statements,
 * and one that is made while a table is empty may read all of it later. Others have their turns between two tables. Returns how many tables were counted.
 */
export async function refreshStatistics(db: Pick<Database, 'call'>): Promise<number> {
  let counted = 0;
  let last = await countNext(db, 0);
  while (last !== null) {
    counted += 1;
    last = await countNext(db, last);
  }
  return counted;
}

const countNext = (db: Pick<Database, 'call'>, after: number): Promise<number | null> =>
  db.call(sql`select attache_refresh_statistics(${after}::bigint)`);
