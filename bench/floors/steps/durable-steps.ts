import postgres from 'postgres';

/**
 * The product's steps in the database, one plain statement each and one round trip: no tenant, no role, no check. A record is a row of
 * about the size of those that the product writes.
 */
export type DurableSteps = {
  /** A look-up by key. */
  read(id: string): Promise<Record<string, string>>;
  /** A new row, durable when it resolves. */
  commit(id: string, step: string, data?: Record<string, string>): Promise<void>;
  /** The row's next step, durable when it resolves. */
  move(id: string, step: string, data?: Record<string, string>): Promise<void>;
  /** The row's next step where the product does not wait for the disk either: claims, marks and settlements of the relay. */
  moveRelaxed(id: string, step: string): Promise<void>;
  close(): Promise<void>;
};

const PADDING = 'x'.repeat(500);

const SCHEMA = `
  create table if not exists record (id uuid primary key, step text not null, data jsonb not null, moved_at timestamptz not null default now());
  create or replace function move_relaxed(p_id uuid, p_step text) returns void language plpgsql as $$
  begin
    perform set_config('synchronous_commit', 'off', true);
    update record set step = p_step, moved_at = now() where id = p_id;
  end $$;`;

/** Makes the table of all floor programs; once, before they start. */
export async function createRecordTable(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(SCHEMA);
  await sql.end();
}

export function openDurableSteps(databaseUrl: string): DurableSteps {
  const sql = postgres(databaseUrl, { max: 10, onnotice: () => {} });
  const expectOne = (count: number, id: string) => {
    if (count !== 1) throw new Error(`There is no record ${id}.`);
  };
  return {
    async read(id) {
      const [row] = await sql`select data from record where id = ${id}`;
      if (!row) throw new Error(`There is no record ${id}.`);
      return row.data;
    },
    async commit(id, step, data = {}) {
      const { count } =
        await sql`insert into record (id, step, data) values (${id}, ${step}, ${sql.json({ ...data, padding: PADDING })})`;
      expectOne(count, id);
    },
    async move(id, step, data = {}) {
      const { count } =
        await sql`update record set step = ${step}, data = data || ${sql.json(data)}, moved_at = now() where id = ${id}`;
      expectOne(count, id);
    },
    async moveRelaxed(id, step) {
      await sql`select move_relaxed(${id}, ${step})`;
    },
    close: () => sql.end({ timeout: 5 }),
  };
}
