create or replace function attache_tenant_of_key(p_key uuid) returns uuid language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return (select tenant_id from api_key where id = p_key);
end $$;

-- One look-up: the key, its hash for the caller to compare, and the tenant's limits. `isUsable` is false for a suspended tenant too. `principal` is
-- the first of the keys that it came from by rotation: its successors are the same principal.
create or replace function attache_find_key(p_key uuid) returns jsonb language plpgsql as $$
declare found jsonb; first uuid; before uuid;
begin
  perform attache_enter(null);
  perform attache_enter(attache_tenant_of_key(p_key));
  select jsonb_build_object('tenantId', k.tenant_id, 'secretHash', k.secret_hash, 'scopes', to_jsonb(k.scopes), 'trustedTrace', k.trusted_trace,
           'isUsable', k.revoked_at is null and t.deleted_at is null and t.suspended_at is null and (k.expires_at is null or k.expires_at > now()),
           'maxUploadBytes', t.max_upload_bytes, 'urlGeneration', t.url_generation), k.id, k.rotated_from
    into found, first, before from api_key k join tenant t on t.tenant_id = k.tenant_id where k.id = p_key;
  while before is not null loop
    first := before;
    select k.rotated_from into before from api_key k where k.tenant_id = (select attache_tenant_id()) and k.id = first;
  end loop;
  return found || jsonb_build_object('firstKeyId', first);
end $$;

-- The same look-up for an upload: with what is known of it before its body.
create or replace function attache_find_key_for_upload(p_key uuid, p_session uuid) returns jsonb language plpgsql set plan_cache_mode = force_generic_plan as $$
declare found jsonb := attache_find_key(p_key);
begin
  return found || jsonb_build_object('upload', attache_upload_terms(p_session));
end $$;

-- The same for a message, with what it names.
create or replace function attache_find_key_for_message(p_key uuid, p_named jsonb) returns jsonb language plpgsql set plan_cache_mode = force_generic_plan as $$
declare found jsonb := attache_find_key(p_key);
begin
  if (found->>'isUsable')::boolean then return found || jsonb_build_object('named', attache_named(p_named)); end if;
  return found;
end $$;

-- The same for a reader of a session's log.
create or replace function attache_find_key_for_log(p_key uuid, p_session uuid) returns jsonb language plpgsql as $$
declare found jsonb := attache_find_key(p_key);
begin
  return found || jsonb_build_object('log', attache_log_terms(p_session));
end $$;
