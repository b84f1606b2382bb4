create or replace function attache_tenant_named(p_name text) returns uuid language sql stable security definer set search_path = public, pg_temp as
$$ select tenant_id from tenant where name = p_name $$;

create or replace function attache_find_tenant_named(p_name text) returns jsonb language plpgsql as $$
begin
  perform attache_enter(null);
  return to_jsonb(attache_tenant_named(p_name));
end $$;

-- Whether a tenant is there and not suspended: for credentials that are known without a look-up.
create or replace function attache_is_tenant_active(p_tenant uuid) returns jsonb language plpgsql as $$
begin
  perform attache_enter(p_tenant);
  return to_jsonb(exists (select 1 from tenant where tenant_id = p_tenant and deleted_at is null and suspended_at is null));
end $$;

-- Whether the pages of this origin may call the API for some tenant: yes or no, never for which. For preflights, which bring no credential.
create or replace function attache_is_origin_known(p_origin text) returns boolean language sql stable security definer set search_path = public, pg_temp as
$$ select exists (select 1 from tenant_origin o join tenant t on t.tenant_id = o.tenant_id
     where o.origin = p_origin and t.deleted_at is null and t.suspended_at is null) $$;

-- Whether an origin is one of the tenant's, or where there is no tenant, of any.
create or replace function attache_find_origin(p_tenant uuid, p_origin text) returns jsonb language plpgsql as $$
begin
  perform attache_enter(p_tenant);
  if p_tenant is null then return to_jsonb(attache_is_origin_known(p_origin)); end if;
  return to_jsonb(exists (select 1 from tenant_origin o where o.tenant_id = (select attache_tenant_id()) and o.origin = p_origin));
end $$;

-- The operator's list: tenants by name, without anything that is in them. `attache_worker` alone may ask.
create or replace function attache_tenants_after(p_name text, p_limit int) returns jsonb language sql stable security definer set search_path = public, pg_temp as
$$ select coalesce(jsonb_agg(jsonb_build_object('tenantId', t.tenant_id, 'name', t.name, 'maxUploadBytes', t.max_upload_bytes, 'quotaBytes', t.quota_bytes, 'tokensPerDay', t.tokens_per_day,
       'maxLiveAgents', t.max_live_agents,
       'reservedBytes', t.reserved_bytes, 'usedBytes', t.used_bytes, 'suspendedAt', t.suspended_at, 'createdAt', t.created_at, 'schemaVersion', t.schema_version)
       order by t.name), '[]'::jsonb)
     from (select * from tenant where deleted_at is null and (p_name is null or name > p_name) order by name limit p_limit) t $$;

-- Tenants in the order of their ids, for sweeps that visit each.
create or replace function attache_tenant_ids_after(p_after uuid, p_limit int) returns setof uuid language sql stable security definer set search_path = public, pg_temp as
$$ select tenant_id from tenant where p_after is null or tenant_id > p_after order by tenant_id limit p_limit $$;

create or replace function attache_lock_usage() returns void language plpgsql as $$
begin
  perform 1 from tenant where tenant_id = (select attache_tenant_id()) for no key update;
end $$;

-- Reserves bytes. Else why not: what is used and reserved fills the quota, or with what waits for its removal twice the quota. Inside a tenant.
create or replace function attache_take_quota(p_bytes bigint) returns text language plpgsql as $$
declare refusal text;
begin
  update tenant set reserved_bytes = reserved_bytes + p_bytes
    where tenant_id = (select attache_tenant_id()) and (quota_bytes is null
      or used_bytes + reserved_bytes + p_bytes <= quota_bytes and used_bytes + reserved_bytes + condemned_bytes + p_bytes <= 2 * quota_bytes);
  if found then return null; end if;
  select case when used_bytes + reserved_bytes + p_bytes > quota_bytes then 'quota-exceeded' else 'quota-held' end into refusal
    from tenant where tenant_id = (select attache_tenant_id());
  return refusal;
end $$;

-- What the tenant may still reserve; null where it has no quota. Inside a tenant.
create or replace function attache_free_bytes() returns bigint language plpgsql stable as $$
begin
  return (select least(quota_bytes - used_bytes - reserved_bytes, 2 * quota_bytes - used_bytes - reserved_bytes - condemned_bytes) from tenant where tenant_id = (select attache_tenant_id()));
end $$;

-- By what an upload to this session is refused before its body, as far as that is known without a reservation. Inside a tenant.
create or replace function attache_upload_terms(p_session uuid) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object('freeBytes', attache_free_bytes(),
    'sessionStatus', (select s.status from session s where s.tenant_id = (select attache_tenant_id()) and s.id = p_session and s.deleted_at is null));
end $$;

-- What a blob takes of the store beside what is used and reserved. A reservation that ended counts whole until the store was asked.
create or replace function attache_left_bytes(p_state text, p_deleted_at timestamptz, p_size bigint, p_reserved bigint) returns bigint language sql immutable as
$$ select case when p_state = 'condemned' or p_state = 'deleted' and p_deleted_at is null then coalesce(p_size, p_reserved) else 0 end $$;

create or replace function attache_count_condemned() returns trigger language plpgsql as $$
declare added bigint;
begin
  select coalesce(sum(c.bytes), 0) into added from (
    select attache_left_bytes(state, deleted_at, size_bytes, reserved_bytes) as bytes from blobs_after
    union all select -attache_left_bytes(state, deleted_at, size_bytes, reserved_bytes) from blobs_before) c;
  if added <> 0 then update tenant set condemned_bytes = condemned_bytes + added where tenant_id = (select attache_tenant_id()); end if;
  return null;
end $$;

-- The newest declaration of each of these profiles.
create or replace function attache_newest_probes(p_profiles text[]) returns jsonb language plpgsql stable set plan_cache_mode = 'force_generic_plan' as $$
declare found jsonb;
begin
  select coalesce(jsonb_object_agg(newest.profile, newest.declared), '{}'::jsonb) into found
    from (select distinct on (profile) profile, declared from profile_probe where profile = any(p_profiles) order by profile, probed_at desc) newest;
  return found;
end $$;

-- Removes at most `limit` entries of a tenant's audit log from before the given time, the oldest first. Answers how many.
create or replace function attache_prune_audit(p jsonb) returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tenant_of uuid := (p->>'tenantId')::uuid; removed int;
  -- Whatever is asked for, a day is kept.
  written_before timestamptz := least((p->>'before')::timestamptz, now() - interval '1 day');
begin
  delete from audit_log where (tenant_id, id) in (
    select a.tenant_id, a.id from audit_log a where a.tenant_id = tenant_of and a.at < written_before
        and not exists (select 1 from tenant t where t.tenant_id = tenant_of and t.legal_hold)
      order by a.at limit (p->>'limit')::int);
  get diagnostics removed = row_count;
  return removed;
end $$;
