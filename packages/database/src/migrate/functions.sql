-- Number of the newest migration of this database; the first one is 0.
create or replace function attache_schema_version() returns int language sql stable security definer set search_path = pg_catalog, pg_temp as
$$ select count(*)::int - 1 from drizzle.__drizzle_migrations $$;

-- Number of the release of these functions that this database has.
create or replace function attache_functions_number() returns int language sql stable security definer set search_path = pg_catalog, pg_temp as
$$ select coalesce(max(number), 0) from drizzle.__attache_functions $$;
