import { bigint, integer, timestamp, uuid } from 'drizzle-orm/pg-core';

/** Times are stored with milliseconds in UTC and read as `Date`. */
export const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** Sizes stay far below 2^53, so a number holds them. */
export const sizeBytes = (name: string) => bigint(name, { mode: 'number' });

/** Every row of a tenant starts with this column, and so does every primary and foreign key. */
export const tenantId = () => uuid('tenant_id').notNull();

export const createdAt = () => time('created_at').notNull().defaultNow();

export const schemaVersion = () => integer('schema_version').notNull().default(1);
