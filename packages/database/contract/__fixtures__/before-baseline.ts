/** When the first and the last of the 44 migrations before the baseline were made, as databases have it. */
const [FIRST_MS, LAST_MS] = [1_795_267_076_741, 1_795_783_251_433];

/** Undoes the migrations behind the baseline, where that was not done. */
const undone = `
  do $$ begin
    if exists (select 1 from information_schema.columns where table_name = 'quarantine' and column_name = 'occurrences') then
      revoke update (attachment_id, code, created_at, is_group, occurrences, target_version) on quarantine from attache_gateway_app;
      alter table quarantine drop column occurrences;
    end if;
    if exists (select 1 from information_schema.columns where table_name = 'wire_finding' and column_name = 'settings_sha256') then
      alter table wire_finding drop column settings_sha256;
      alter table capability_contradiction drop column settings_sha256;
      alter table capability_contradiction add constraint capability_contradiction_pk primary key (tenant_id, row_name, kind, program_version);
    end if;
    drop table if exists tenant_origin;
  end $$;`;

/** Makes a migrated database, with its records, one of a build before the baseline, with this many of its migrations. */
export const describeEarlierBuild = (count: number): string => `${undone}
  delete from drizzle.__drizzle_migrations;
  insert into drizzle.__drizzle_migrations (hash, created_at)
    select 'migration ' || n, case n when 0 then ${FIRST_MS} else ${LAST_MS} - (43 - n) * 1000 end from generate_series(0, ${count - 1}) n;
  delete from drizzle.__attache_functions;
  insert into drizzle.__attache_functions (number, checksum) values (21, 'earlier');`;
