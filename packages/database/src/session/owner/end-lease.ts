import postgres from 'postgres';
import type { ReplicaIdentity } from './session-owner-writer.ts';

const CONNECT_SECONDS = 2;

/**
 * Ends the lease of a gateway whose process has died, and notes that it died with its sessions. It has a connection of its own, so that others need not wait
 * for its end, and loads nothing else of this package: its caller is small, and in a hurry. Rejects if the database does not respond.
 */
export async function endLease(url: string, { replicaId, incarnation }: ReplicaIdentity): Promise<void> {
  const sql = postgres(url, {
    ...{ max: 1, prepare: false, connect_timeout: CONNECT_SECONDS, fetch_types: false, onnotice: () => {} },
    connection: { application_name: 'attache-guard' },
  });
  try {
    await sql.unsafe('select attache_end_lease($1::text::jsonb)', [JSON.stringify({ replicaId, incarnation })]);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
