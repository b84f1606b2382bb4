-- Everything that migrations make, one line each, sorted: two databases with the same lines have the same schema.
select line from (
  select 'column ' || c.oid::regclass || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end
      || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '') || ' ' || a.attgenerated::text || a.attidentity::text as line
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relkind = 'r' and c.relnamespace::regnamespace::text in ('public', 'drizzle')
  union all
  select 'table ' || c.oid::regclass || ' owner ' || r.rolname || ' rls ' || c.relrowsecurity || c.relforcerowsecurity || ' ' || coalesce(c.reloptions::text, '')
    from pg_class c join pg_roles r on r.oid = c.relowner where c.relkind in ('r', 'S') and c.relnamespace::regnamespace::text in ('public', 'drizzle')
  union all
  select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated
    from pg_constraint where connamespace::regnamespace::text in ('public', 'drizzle') and contype <> 'n'
  union all
  select 'index ' || pg_get_indexdef(indexrelid)
    from pg_index join pg_class c on c.oid = indrelid where c.relnamespace::regnamespace::text in ('public', 'drizzle')
  union all
  select 'trigger ' || pg_get_triggerdef(oid) || tgenabled::text from pg_trigger where not tgisinternal
  union all
  select 'policy ' || polrelid::regclass || ' ' || polname || ' ' || polcmd::text || polpermissive::text || ' to '
      || (select string_agg(rolname, ',' order by rolname) from pg_roles where oid = any (polroles)) || ' using ' || coalesce(pg_get_expr(polqual, polrelid), '')
      || ' check ' || coalesce(pg_get_expr(polwithcheck, polrelid), '')
    from pg_policy
  union all
  select 'grant ' || c.oid::regclass || ' ' || coalesce((select string_agg(g::text, ' ' order by g::text) from unnest(c.relacl) g), '')
    from pg_class c where c.relkind in ('r', 'S') and c.relnamespace::regnamespace::text in ('public', 'drizzle')
  union all
  select 'column grant ' || attrelid::regclass || '.' || attname || ' ' || (select string_agg(g::text, ' ' order by g::text) from unnest(attacl) g)
    from pg_attribute join pg_class c on c.oid = attrelid where attacl is not null and c.relnamespace = 'public'::regnamespace
  union all
  select 'database: ' || r.rolname || case when has_database_privilege(r.oid, current_database(), 'temporary') then ' may' else ' may not' end || ' make temporary tables'
    from pg_roles r where r.rolname like 'attache\_%'
  union all
  select 'schema ' || nspname || ' ' || coalesce((select string_agg(g::text, ' ' order by g::text) from unnest(nspacl) g), '')
    from pg_namespace where nspname in ('public', 'drizzle')
  union all
  select 'function ' || p.oid::regprocedure || ' owner ' || r.rolname || ' ' || coalesce((select string_agg(g::text, ' ' order by g::text) from unnest(proacl) g), 'default')
      || ' ' || md5(pg_get_functiondef(p.oid))
    from pg_proc p join pg_roles r on r.oid = p.proowner where p.pronamespace = 'public'::regnamespace
) made order by line;
