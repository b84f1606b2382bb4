import type { DeclaredCapability } from '@attache/contracts';
import { jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { schemaVersion, time } from '../columns.ts';

/** The capabilities that a profile's program declared when it was probed, once per program version. */
export const profileProbe = pgTable(
  'profile_probe',
  {
    profile: text('profile').notNull(),
    programVersion: text('program_version').notNull(),
    declared: jsonb('declared').$type<DeclaredCapability>().notNull(),
    probedAt: time('probed_at').notNull().defaultNow(),
    schemaVersion: schemaVersion(),
  },
  (table) => [primaryKey({ columns: [table.profile, table.programVersion] })],
);
