import type { KeptFile } from '@attache/domain';
import { bigint, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { blob } from '../blob/blob-table.ts';
import { createdAt, schemaVersion, sizeBytes, tenantId } from '../columns.ts';
import { agent } from '../session/agent-table.ts';

/** The files that the program of an agent needs to continue its conversation, as they were after a turn. The latest two of an agent are kept. */
export const checkpoint = pgTable(
  'checkpoint',
  {
    tenantId: tenantId(),
    agentId: uuid('agent_id').notNull(),
    /** Counts the checkpoints of an agent. */
    number: integer('number').notNull(),
    sessionId: uuid('session_id').notNull(),
    epoch: bigint('epoch', { mode: 'number' }).notNull(),
    /** The last message that was brought to the process before: one that was brought later is not in these files. */
    deliveryId: uuid('delivery_id').notNull(),
    /** The agent's target version at that time: the checkpoint does not count for another one. */
    targetVersion: integer('target_version').notNull(),
    memoryVersion: integer('memory_version').notNull(),
    /** The resume reference, by which the program finds the conversation. */
    reference: text('reference').notNull(),
    programVersion: text('program_version'),
    /** Blobs (uuids) that hold the bytes, as the files name them by position. */
    packs: uuid('packs').array().notNull(),
    files: jsonb('files').$type<KeptFile[]>().notNull(),
    /** The size of all files together. */
    sizeBytes: sizeBytes('size_bytes').notNull(),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.agentId, table.number] }),
    foreignKey({ columns: [table.tenantId, table.agentId], foreignColumns: [agent.tenantId, agent.id] }),
    index('checkpoint_of_session').on(table.tenantId, table.sessionId),
  ],
);

/** A blob with bytes of an agent's checkpoints: it stays as long as one of them names it. */
export const checkpointPack = pgTable(
  'checkpoint_pack',
  {
    tenantId: tenantId(),
    blobId: uuid('blob_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    /** The size of the pack's content, before packing. */
    rawBytes: sizeBytes('raw_bytes').notNull(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.blobId] }),
    foreignKey({ columns: [table.tenantId, table.blobId], foreignColumns: [blob.tenantId, blob.id] }),
    foreignKey({ columns: [table.tenantId, table.agentId], foreignColumns: [agent.tenantId, agent.id] }),
    index('checkpoint_pack_of_agent').on(table.tenantId, table.agentId),
  ],
);
