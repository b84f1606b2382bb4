import postgres from 'postgres';
import type { ReplicaIdentity } from './session-owner-writer.ts';

const CONNECT_SECONDS = 2;

/**
 * Notes that the process of a gateway has died with its sessions, so that it counts as its death even where its lease ends by itself before anybody ends it.
 * Rejects if the database does not respond.
 */
export const noteDeath = (url: string, { incarnation }: Pick<ReplicaIdentity, 'incarnation'>): Promise<void> =>
  runAlone(url, 'select attache_note_death($1::uuid)', incarnation);

/**
 * Ends the lease of a gateway whose process has died, and notes that it died with its sessions, so that others need not wait for the end of its lease. Rejects
 * if the database does not respond.
 */
export const endLease = (url: string, { replicaId, incarnation }: ReplicaIdentity): Promise<void> =>
  runAlone(url, 'select attache_end_lease($1::text::jsonb)', JSON.stringify({ replicaId, incarnation }));

/** Runs a statement on a connection of its own, and loads nothing else of this package: its caller is small, and in a hurry. */
async function runAlone(url: string, statement: string, parameter: string): Promise<void> {
  const sql = postgres(url, {
    ...{ max: 1, prepare: false, connect_timeout: CONNECT_SECONDS, fetch_types: false, onnotice: () => {} },
    connection: { application_name: 'attache-guard' },
  });
  try {
    await sql.unsafe(statement, [parameter]);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
