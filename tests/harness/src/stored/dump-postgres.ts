import postgres from 'postgres';

/** Every row of every table of a database, as text: one line for each row, its table first. */
export async function dumpPostgres(superuserUrl: string): Promise<string> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  try {
    const tables = await sql<{ name: string }[]>`
      select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`;
    const lines: string[] = [];
    for (const { name } of tables) {
      const rows = await sql.unsafe<{ line: string }[]>(`select row::text as line from ${name} as row`);
      lines.push(...rows.map(({ line }) => `${name} ${line}`));
    }
    return lines.join('\n');
  } finally {
    await sql.end();
  }
}
