import type {
  Actor,
  DeliveryPlan,
  DeliveryStatus,
  Failure,
  FailureCode,
  Part,
  Receipt,
  TraceContext,
} from '@attache/contracts';
import type { Held, LeftBefore } from '@attache/domain';
import { sql } from 'drizzle-orm';
import { bigint, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { createdAt, schemaVersion, tenantId, time } from '../columns.ts';
import { message } from '../message/message-table.ts';
import { agent } from '../session/agent-table.ts';

/** One message to one agent, with its frozen plan. `messageSeq` orders the deliveries of an agent. */
export const delivery = pgTable(
  'delivery',
  {
    tenantId: tenantId(),
    id: uuid('id').notNull(),
    sessionId: uuid('session_id').notNull(),
    messageId: uuid('message_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    messageSeq: bigint('message_seq', { mode: 'number' }).notNull(),
    status: text('status').$type<DeliveryStatus>().notNull().default('queued'),
    attempts: integer('attempts').notNull().default(1),
    plan: jsonb('plan').$type<DeliveryPlan>().notNull(),
    /** The target version of its agent for which the plan was made. */
    targetVersion: integer('target_version').notNull().default(1),
    parts: jsonb('parts').$type<Part[]>(),
    failure: jsonb('failure').$type<Failure>(),
    receipt: jsonb('receipt').$type<Receipt>(),
    trace: jsonb('trace').$type<TraceContext>(),
    traceId: text('trace_id').notNull(),
    /** Set before the first byte is written: without it, a delivery was provably never sent. */
    writingAt: time('writing_at'),
    /**
     * Only for an agent that reaches its model through the relay: whether a request has gone upstream since the first byte was written. Null: nobody watched.
     */
    forwarding: text('forwarding').$type<'watched' | 'forwarded'>(),
    /** The content of the delivery that the runtime holds from then on, as measured; before that, the plan's upper bounds. */
    held: jsonb('held').$type<Held>(),
    /** The content that earlier attempts left there, the last of them begun `at`. */
    leftBefore: jsonb('left_before').$type<LeftBefore>(),
    epoch: bigint('epoch', { mode: 'number' }),
    createdAt: createdAt(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.id] }),
    foreignKey({ columns: [table.tenantId, table.messageId], foreignColumns: [message.tenantId, message.id] }),
    foreignKey({ columns: [table.tenantId, table.agentId], foreignColumns: [agent.tenantId, agent.id] }),
    index('delivery_of_agent').on(table.tenantId, table.agentId, table.messageSeq),
    index('delivery_line')
      .on(table.tenantId, table.agentId, table.messageSeq, table.id)
      .where(sql`status in ('queued', 'prepared', 'claimed', 'written')`),
    // For the content that an agent's runtime still holds since its context began.
    index('delivery_written').on(table.tenantId, table.agentId, table.writingAt).where(sql`writing_at is not null`),
    index('delivery_left')
      .on(table.tenantId, table.agentId, sql`(left_before->>'at')`)
      .where(sql`left_before is not null`),
    index('delivery_of_session').on(table.tenantId, table.sessionId, table.status),
    index('delivery_of_message').on(table.tenantId, table.messageId),
  ],
);

/** The timeline: every transition is a row. */
export const deliveryTransition = pgTable(
  'delivery_transition',
  {
    tenantId: tenantId(),
    deliveryId: uuid('delivery_id').notNull(),
    position: integer('position').notNull(),
    at: time('at').notNull().defaultNow(),
    status: text('status').$type<DeliveryStatus>().notNull(),
    actor: jsonb('actor').$type<Actor>().notNull(),
    epoch: bigint('epoch', { mode: 'number' }),
    attempt: integer('attempt').notNull(),
    traceId: text('trace_id').notNull(),
    code: text('code').$type<FailureCode>(),
    schemaVersion: schemaVersion(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.deliveryId, table.position] }),
    foreignKey({ columns: [table.tenantId, table.deliveryId], foreignColumns: [delivery.tenantId, delivery.id] }),
  ],
);
