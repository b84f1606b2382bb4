-- The tenant that the transaction is in. Statements compare with it in a subquery: its value is then unknown when they are planned. A connection keeps its plans
-- for all tenants, and one that is made for a small tenant would read all rows of a large one.
create or replace function attache_tenant_id() returns uuid language sql stable as
$$ select nullif(current_setting('attache.tenant_id', true), '')::uuid $$;

-- The role in which this login acts inside a tenant: a service's own, with the rights that it needs, or where one process is all services, theirs together.
create or replace function attache_app_role() returns text language sql stable as
$$ select case session_user when 'attache_ingest' then 'attache_ingest_app' when 'attache_projector' then 'attache_projector_app'
     when 'attache_gateway' then 'attache_gateway_app' when 'attache_operator' then 'attache_operator_app' else 'attache_app' end $$;

-- The role in which this login sees control tables. Ingest has none.
create or replace function attache_worker_role() returns text language sql stable as
$$ select case session_user when 'attache_projector' then 'attache_projector_worker' when 'attache_gateway' then 'attache_gateway_worker'
     else 'attache_worker' end $$;

-- Enters a tenant for the rest of the transaction.
create or replace function attache_enter(p_tenant uuid) returns void language plpgsql as $$
begin
  perform set_config('role', attache_app_role(), true);
  perform set_config('attache.tenant_id', coalesce(p_tenant::text, ''), true);
end $$;

-- Enters the role that sees what this login may of the control tables of all tenants, for the rest of the transaction.
create or replace function attache_enter_worker() returns void language plpgsql as $$
begin
  perform set_config('role', attache_worker_role(), true);
  perform set_config('attache.tenant_id', '', true);
end $$;

-- Counts the rows of the next table behind this one that has grown fourfold since it was counted: the plans of every connection over it are made again. One at a
-- time, so that nobody waits for all. Large tables are left to the server, and one that somebody holds to the next time. Null: there is none.
create or replace function attache_analyze_grown(p_after oid) returns oid language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare grown oid;
begin
  select c.oid into grown from pg_class c cross join lateral pg_stat_get_live_tuples(c.oid) as live
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.oid > p_after
      and c.reltuples < 1000 and live between 50 and 1000000 and live >= 4 * c.reltuples order by c.oid limit 1;
  if grown is not null then execute format('analyze (skip_locked) %s', grown::regclass); end if;
  return grown;
end $$;

create or replace function attache_refresh_statistics(p_after bigint) returns jsonb language plpgsql as $$
begin
  perform attache_enter(null);
  return to_jsonb(attache_analyze_grown(p_after::oid)::bigint);
end $$;
