import postgres from 'postgres';
import { type Commit, formatCommit } from './format-commit.ts';

/**
 * The product's steps in the database, in one plain statement and one round trip each: no tenant, no role, no check. Every commit writes
 * the rows that the product's commit writes, in tables that keep just them apart.
 */
export type DurableSteps = {
  /** A look-up by key. */
  read(id: string): Promise<Record<string, string>>;
  /** A record with what it names, by one look-up. */
  readWithNamed(id: string): Promise<Record<string, string>>;
  /** The entries of a log after a seq, oldest first. */
  readLog(log: string, afterSeq: number): Promise<LogEntry[]>;
  /** Durable when it resolves. */
  commit(commit: Commit): Promise<void>;
  /** The next state of a message on its way out, for steps in which the product does not wait for the disk either: claims, marks, settlements. */
  moveMessage(id: string, state: string): Promise<void>;
  close(): Promise<void>;
};

export type LogEntry = { seq: number; id: string; step: string };

const SCHEMA = `
  create table if not exists record (id uuid primary key, step text not null, data jsonb not null, moved_at timestamptz not null default now());
  create table if not exists timeline (record_id uuid not null, position bigint generated always as identity, step text not null,
    at timestamptz not null default now(), data jsonb not null, primary key (record_id, position));
  create table if not exists counter (id text primary key, n bigint not null);
  create table if not exists fact (id uuid primary key default gen_random_uuid(), record_id uuid not null, data jsonb not null);
  create table if not exists log_head (id text primary key, last_seq bigint not null);
  create table if not exists log (log_id text not null, seq bigint not null, record_id uuid not null, step text not null,
    at timestamptz not null default now(), data jsonb not null, primary key (log_id, seq));
  create table if not exists message (id uuid primary key, state text not null, data jsonb not null, moved_at timestamptz not null default now());
  create table if not exists handled (id uuid primary key, at timestamptz not null default now());
  create or replace function move_message(p_id uuid, p_state text) returns void language plpgsql as $$
  begin
    perform set_config('synchronous_commit', 'off', true);
    update message set state = p_state, moved_at = now() where id = p_id;
  end $$;`;

/** Makes the tables of all floor programs; once, before they start. */
export async function createTables(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(SCHEMA);
  await sql.end();
}

export function openDurableSteps(databaseUrl: string): DurableSteps {
  const sql = postgres(databaseUrl, { max: 10, onnotice: () => {} });
  const readOne = async (text: string, id: string) => {
    const [row] = await sql.unsafe(text, [id], { prepare: true });
    if (!row) throw new Error(`There is no record ${id}.`);
    return row.data;
  };
  return {
    read: (id) => readOne('select data from record where id = $1', id),
    readWithNamed: (id) =>
      readOne(
        `select n.data || r.data as data from record r join record n on n.id = (r.data->>'attachmentId')::uuid where r.id = $1`,
        id,
      ),
    async readLog(log, afterSeq) {
      const rows = await sql.unsafe(
        'select seq, record_id, step, at, data from log where log_id = $1 and seq > $2 order by seq limit 100',
        [log, afterSeq],
        { prepare: true },
      );
      return rows.map((row) => ({ seq: Number(row.seq), id: row.record_id, step: row.step }));
    },
    async commit(commit) {
      const { text, parameters } = formatCommit(commit);
      const [row] = await sql.unsafe(text, parameters, { prepare: true });
      if (row?.moved !== 1) throw new Error(`There is no record ${commit.record?.id}.`);
    },
    async moveMessage(id, state) {
      await sql`select move_message(${id}, ${state})`;
    },
    close: () => sql.end({ timeout: 5 }),
  };
}
