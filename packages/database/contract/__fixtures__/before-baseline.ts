/** When the first and the last of the 44 migrations before the baseline were made, as databases have it. */
const [FIRST_MS, LAST_MS] = [1_795_267_076_741, 1_795_783_251_433];

/** Makes the records of a migrated database those of a build before the baseline, with this many of its migrations. */
export const describeEarlierBuild = (count: number): string => `
  delete from drizzle.__drizzle_migrations;
  insert into drizzle.__drizzle_migrations (hash, created_at)
    select 'migration ' || n, case n when 0 then ${FIRST_MS} else ${LAST_MS} - (43 - n) * 1000 end from generate_series(0, ${count - 1}) n;
  delete from drizzle.__attache_functions;
  insert into drizzle.__attache_functions (number, checksum) values (21, 'earlier');`;
