/** Modules of packages/database/src that write although their name does not end in `-writer`. */
export const otherWritingModules = [
  'blob/blob-collection.ts',
  'blob/blob-sweep.ts',
  'outbox/outbox-queue.ts',
  'tenancy/profile-probe.ts',
];

/** A table that is also written outside the aggregate in whose folder it is declared: by which others, and why they do not ask it. */
export type SharedTable = { table: string; writtenBy: string[]; reason: string };

export const sharedTables: SharedTable[] = [
  {
    table: 'access_grant',
    writtenBy: ['message/functions.sql'],
    reason: 'a message grants what it brings in the round trip that accepts it',
  },
  {
    table: 'agent',
    writtenBy: ['delivery/functions.sql'],
    reason: "an agent's status follows from its delivery, in the same step",
  },
  {
    table: 'audit_log',
    writtenBy: ['contradiction/functions.sql'],
    reason: 'what ends when another version of a program starts is audited in the same round trip',
  },
  {
    table: 'blob',
    writtenBy: ['attachment/functions.sql', 'attachment/variant-writer.ts'],
    reason: 'a blob goes live with the row that uses it',
  },
  {
    table: 'delivery',
    writtenBy: ['message/functions.sql'],
    reason: 'a message is accepted with its deliveries, or not at all',
  },
  {
    table: 'delivery_transition',
    writtenBy: ['message/functions.sql', 'session/functions.sql'],
    reason: 'the timeline of a delivery begins with its message, and goes with the log of its session',
  },
  {
    table: 'idempotency',
    writtenBy: ['attachment/functions.sql', 'blob/blob-sweep.ts'],
    reason: 'an upload that ends without a record frees its key, and so does the sweep for one whose process died',
  },
  {
    table: 'inbox',
    writtenBy: ['dead-letters/functions.sql'],
    reason: 'a replay takes the mark of a handler back that came too late to have an effect',
  },
  {
    table: 'outbox',
    writtenBy: ['dead-letters/functions.sql'],
    reason: 'a message that is given up, or put back, is one with its letter',
  },
  {
    table: 'tenant',
    writtenBy: ['attachment/functions.sql', 'attachment/variant-writer.ts', 'blob/blob-sweep.ts', 'blob/functions.sql'],
    reason: "a tenant's quota is counted in the step that uses or frees it",
  },
  {
    table: 'variant',
    writtenBy: ['blob/functions.sql'],
    reason: 'a variant goes with its bytes',
  },
];
