-- The tenant that the transaction is in.
create or replace function attache_tenant_id() returns uuid language sql stable as
$$ select nullif(current_setting('attache.tenant_id', true), '')::uuid $$;

-- Enters a tenant for the rest of the transaction.
create or replace function attache_enter(p_tenant uuid) returns void language plpgsql as $$
begin
  perform set_config('role', 'attache_app', true);
  perform set_config('attache.tenant_id', coalesce(p_tenant::text, ''), true);
end $$;

-- Enters the role that sees the control tables of all tenants, for the rest of the transaction.
create or replace function attache_enter_worker() returns void language plpgsql as $$
begin
  perform set_config('role', 'attache_worker', true);
  perform set_config('attache.tenant_id', '', true);
end $$;
