import type { DeclaredCapability } from '@attache/contracts';
import { jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { schemaVersion, time } from '../columns.ts';

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
