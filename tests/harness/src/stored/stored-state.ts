import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { findTenantByName } from '@attache/database';
import { connectPglite } from '@attache/database/pglite';
import { sql } from 'drizzle-orm';

/** The content of a data folder while no process runs on it. */
export type StoredState = {
  /** Keys of the blob files on disk, sorted. */
  storedKeys: string[];
  /** Keys of the rows whose bytes are kept: live, waiting for their collection, or deleted and not removed yet. Sorted. */
  keptKeys: string[];
  /** Keys of rows that own bytes, or a reservation, of something that was never recorded. */
  unsettledKeys: string[];
  reservedBytes: number;
  /** Texts of all messages, in no order. */
  texts: string[];
  /** Subject and reason of every message that was given up. */
  deadLetters: string[];
  /** Deliveries that have no end, and requests whose idempotency key nobody closed. */
  unfinished: string[];
};

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
}

/** Keys of the blob files below a data folder; safe while the stack runs. */
export async function listBlobKeys(dataDir: string): Promise<string[]> {
  const root = join(dataDir, 'blobs');
  const paths = (await listFiles(root)).map((path) => relative(root, path).split('/'));
  return paths
    .filter(([tenant]) => tenant !== 'tmp')
    .map(([tenant, , name]) => `${tenant}/${name}`)
    .sort();
}

/** Half-written bodies, files in work, and files that were put before an agent: all gone once nothing runs. */
export async function listTemporaryFiles(dataDir: string): Promise<string[]> {
  const folders = [join(dataDir, 'blobs', 'tmp'), join(dataDir, 'work')];
  const agents = await readdir(join(dataDir, 'agents')).catch(() => []);
  const inboxes = agents.map((agent) => join(dataDir, 'agents', agent, 'inbox'));
  return (await Promise.all([...folders, ...inboxes].map(listFiles))).flat();
}

type Row = { kind: 'kept' | 'removable' | 'unsettled' | 'text' | 'reserved' | 'dead' | 'unfinished'; value: string };

/** Opens the database of a stopped stack and says what it holds. */
export async function readStoredState(dataDir: string): Promise<StoredState> {
  const db = await connectPglite({ folder: join(dataDir, 'database') });
  try {
    const tenantId = await findTenantByName(db, 'local');
    if (tenantId === undefined) throw new Error('the folder has no tenant');
    const { rows } = (await db.asTenant(tenantId, (tx) =>
      tx.execute(sql`
        select case when state = 'live' or (state = 'condemned' and size_bytes is not null) then 'kept' else 'unsettled' end as kind,
          key as value from blob where state <> 'deleted'
        union all select 'removable', key from blob where state = 'deleted' and deleted_at is null
        union all select 'text', text from message_text
        union all select 'reserved', reserved_bytes::text from tenant
        union all select 'unfinished', 'delivery ' || status from delivery where status not in ('responded', 'failed', 'cancelled')
        union all select 'unfinished', 'key of ' || route from idempotency where state = 'in-progress'`),
    )) as { rows: Row[] };
    const dead = (await db.asWorker((tx) =>
      tx.execute(sql`select 'dead' as kind, subject || ': ' || reason as value from dead_letter`),
    )) as { rows: Row[] };
    const valuesOf = (kind: Row['kind']) =>
      [...rows, ...dead.rows].flatMap((row) => (row.kind === kind ? [row.value] : []));
    const storedKeys = await listBlobKeys(dataDir);
    const removable = valuesOf('removable').filter((key) => storedKeys.includes(key));
    return {
      storedKeys,
      keptKeys: [...valuesOf('kept'), ...removable].sort(),
      unsettledKeys: valuesOf('unsettled'),
      reservedBytes: Number(valuesOf('reserved')[0]),
      texts: valuesOf('text'),
      deadLetters: valuesOf('dead'),
      unfinished: valuesOf('unfinished'),
    };
  } finally {
    await db.close();
  }
}
