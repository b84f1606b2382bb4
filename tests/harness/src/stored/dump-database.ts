import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';

/** Every row of every table of a data folder that no stack uses now, as text: one line for each row, its table first. */
export async function dumpDatabase(dataDir: string): Promise<string> {
  const client = await PGlite.create(join(dataDir, 'database'));
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
    );
    const lines: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ line: string }>(`select row::text as line from ${name} as row`);
      lines.push(...rows.map(({ line }) => `${name} ${line}`));
    }
    return lines.join('\n');
  } finally {
    await client.close();
  }
}
