import { bigint, boolean, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, sizeBytes, time } from '../columns.ts';

/** An isolated customer of the platform, with its quota as reserved, not counted afterwards. */
export const tenant = pgTable('tenant', {
  tenantId: uuid('tenant_id').primaryKey(),
  name: text('name').notNull().unique(),
  maxUploadBytes: sizeBytes('max_upload_bytes'),
  quotaBytes: sizeBytes('quota_bytes'),
  /** The tokens that its agents may use on one day in UTC, input and output together. */
  tokensPerDay: bigint('tokens_per_day', { mode: 'number' }),
  /** How many of its agents may have a subprocess at the same time, on all gateways together. */
  maxLiveAgents: integer('max_live_agents'),
  reservedBytes: sizeBytes('reserved_bytes').notNull().default(0),
  usedBytes: sizeBytes('used_bytes').notNull().default(0),
  /** The bytes that the store still holds of unused blobs. A trigger of `blob` counts them. */
  condemnedBytes: sizeBytes('condemned_bytes').notNull().default(0),
  /** Signed URLs name the generation in which they were made; those of an earlier one have ended. */
  urlGeneration: integer('url_generation').notNull().default(1),
  settings: jsonb('settings').$type<Record<string, unknown>>().notNull().default({}),
  legalHold: boolean('legal_hold').notNull().default(false),
  /** While it is set, no credential of the tenant is accepted. */
  suspendedAt: time('suspended_at'),
  deletedAt: time('deleted_at'),
  createdAt: createdAt(),
  schemaVersion: schemaVersion(),
});
