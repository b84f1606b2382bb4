import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';

/**
 * Has plans made again over tables that have grown fourfold since their rows were counted, up to a thousand rows: connections keep the plans of their statements,
 * and one that is made while a table is empty may read all of it later. Returns how many tables were counted.
 */
export async function refreshStatistics(db: Database): Promise<number> {
  return db.call(sql`select attache_refresh_statistics()`);
}
