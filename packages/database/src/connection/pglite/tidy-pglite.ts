import type { GatedPglite } from './gate-queries.ts';

const TABLES = `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`;

/**
 * Vacuums and analyses every table, for which PGlite has no process of its own, and ends what its log keeps for a crash. Others have their turns between
 * two tables.
 */
export async function tidyPglite(gated: GatedPglite): Promise<void> {
  const { rows } = await gated.query<{ relname: string }>(TABLES);
  for (const { relname } of rows) await runAsOwner(gated, `vacuum (analyze) "${relname}"`);
  await runAsOwner(gated, 'checkpoint');
}

/** Whatever becomes of it, the next statement is the application's again. */
const runAsOwner = (gated: GatedPglite, statement: string): Promise<void> =>
  gated.runAlone(async (client) => {
    await client.exec('reset role');
    try {
      await client.exec(statement);
    } finally {
      await client.exec('set role attache_app');
    }
  });
