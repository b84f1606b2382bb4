import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { schemaVersion, time } from '../columns.ts';

/** When a periodic sweep last ran. */
export const sweep = pgTable('sweep', {
  name: text('name').primaryKey(),
  lastRunAt: time('last_run_at').notNull(),
  found: integer('found').notNull().default(0),
  schemaVersion: schemaVersion(),
});
