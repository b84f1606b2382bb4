import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import postgres from 'postgres';

/** Work of all tenants that was begun and never settled. */
export type Unsettled = { blobs: number; reservedBytes: number; deadLetters: number };

const QUERY = `
  select
    (select count(*) from blob where state = 'reserved' or (state = 'condemned' and size_bytes is null))::int as "blobs",
    (select coalesce(sum(reserved_bytes), 0) from tenant)::int as "reservedBytes",
    (select count(*) from dead_letter)::int as "deadLetters"`;

/** Counts in a data folder that no stack uses now. */
export async function countUnsettledOfFolder(dataDir: string): Promise<Unsettled> {
  const client = await PGlite.create(join(dataDir, 'database'));
  try {
    return onlyRow((await client.query<Unsettled>(QUERY)).rows);
  } finally {
    await client.close();
  }
}

/** Counts in a database, by a login that row-level security does not bind. */
export async function countUnsettledOfDatabase(superuserUrl: string): Promise<Unsettled> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  try {
    return onlyRow(await sql.unsafe<Unsettled[]>(QUERY));
  } finally {
    await sql.end();
  }
}

function onlyRow([row]: readonly Unsettled[]): Unsettled {
  if (row === undefined) throw new Error('the count has no row');
  return { ...row };
}
