/** Modules of packages/database/src that write although their name does not end in `-writer`. */
export const otherWritingModules = ['blob-collection.ts', 'blob-sweep.ts', 'outbox-queue.ts', 'profile-probe.ts'];

/** A table that more than one module writes: all of them, and why one is not enough. Every other table has one writer. */
export type SharedTable = { table: string; modules: string[]; reason: string };

export const sharedTables: SharedTable[] = [
  {
    table: 'blob',
    modules: ['blob-collection.ts', 'blob-sweep.ts', 'variant-writer.ts'],
    reason:
      'a blob goes live with the row that uses it, is collected when nothing does any more, and swept when nothing ever did',
  },
  {
    table: 'idempotency',
    modules: ['blob-sweep.ts', 'idempotency-writer.ts'],
    reason: 'the sweep at the start frees the keys of requests that died',
  },
  {
    table: 'outbox',
    modules: ['outbox-queue.ts', 'outbox-writer.ts'],
    reason: 'services may only add; claiming, settling and pruning belong to the worker role',
  },
  {
    table: 'tenant',
    modules: ['blob-sweep.ts', 'tenant-writer.ts', 'variant-writer.ts'],
    reason: "a tenant's quota is counted in the step that uses or frees it",
  },
];
