-- A suspended tenant's key is as unusable as a revoked one.
create or replace function attache_find_key(p_key uuid) returns jsonb language plpgsql as $$
declare found jsonb;
begin
  perform attache_enter(null);
  perform attache_enter(attache_tenant_of_key(p_key));
  select jsonb_build_object('tenantId', k.tenant_id, 'secretHash', k.secret_hash, 'scopes', to_jsonb(k.scopes), 'trustedTrace', k.trusted_trace,
           'isUsable', k.revoked_at is null and t.deleted_at is null and t.suspended_at is null and (k.expires_at is null or k.expires_at > now()),
           'maxUploadBytes', t.max_upload_bytes)
    into found from api_key k join tenant t on t.tenant_id = k.tenant_id where k.id = p_key;
  return found;
end $$;
--> statement-breakpoint
-- One look-up for a session token: what its user may do in the session now. Null where the session, the participant or the tenant is gone or suspended.
create function attache_find_participant(p_tenant uuid, p_session uuid, p_user uuid) returns jsonb language plpgsql as $$
begin
  perform attache_enter(p_tenant);
  return (select jsonb_build_object('rights', to_jsonb(p.rights), 'maxUploadBytes', t.max_upload_bytes)
    from participant p
      join session s on s.tenant_id = p.tenant_id and s.id = p.session_id and s.deleted_at is null
      join tenant t on t.tenant_id = p.tenant_id and t.deleted_at is null and t.suspended_at is null
    where p.tenant_id = p_tenant and p.session_id = p_session and p.user_id = p_user);
end $$;
--> statement-breakpoint
-- One look-up for a signed URL: the tenant of an attachment, and all that is needed to send its bytes or those of a variant of it.
create function attache_find_raw(p_attachment uuid, p_variant uuid) returns jsonb language plpgsql as $$
declare tenant_of uuid;
begin
  perform attache_enter(null);
  tenant_of := attache_tenant_of_attachment(p_attachment);
  if tenant_of is null then return null; end if;
  perform attache_enter(tenant_of);
  return (select jsonb_build_object('tenantId', tenant_of, 'isSuspended', t.suspended_at is not null or t.deleted_at is not null,
      'isDeleted', a.deleted_at is not null, 'urlGeneration', a.url_generation, 'name', n.name, 'status', a.status, 'encoding', a.facts->>'encoding',
      'original', jsonb_build_object('key', b.key, 'mimeType', a.mime_type, 'sizeBytes', a.size_bytes, 'sha256', a.sha256),
      'variant', (select jsonb_build_object('key', vb.key, 'mimeType', v.mime_type, 'sizeBytes', v.size_bytes, 'sha256', v.sha256)
        from variant v join blob vb on vb.tenant_id = v.tenant_id and vb.id = v.blob_id
        where v.tenant_id = tenant_of and v.id = p_variant and v.source_sha256 = a.sha256))
    from attachment a
      join tenant t on t.tenant_id = a.tenant_id
      join attachment_name n on n.tenant_id = a.tenant_id and n.attachment_id = a.id
      join blob b on b.tenant_id = a.tenant_id and b.id = a.blob_id
    where a.tenant_id = tenant_of and a.id = p_attachment);
end $$;
--> statement-breakpoint
-- Whether a tenant is there and not suspended: for credentials that are known without a look-up.
create function attache_is_tenant_active(p_tenant uuid) returns jsonb language plpgsql as $$
begin
  perform attache_enter(p_tenant);
  return to_jsonb(exists (select 1 from tenant where tenant_id = p_tenant and deleted_at is null and suspended_at is null));
end $$;
--> statement-breakpoint
grant create on schema public to attache_owner;
--> statement-breakpoint
-- The operator's list: tenants by name, without anything that is in them. `attache_worker` alone may ask.
create function attache_tenants_after(p_name text, p_limit int) returns jsonb language sql stable security definer set search_path = public as
$$ select coalesce(jsonb_agg(jsonb_build_object('tenantId', t.tenant_id, 'name', t.name, 'maxUploadBytes', t.max_upload_bytes, 'quotaBytes', t.quota_bytes,
       'reservedBytes', t.reserved_bytes, 'usedBytes', t.used_bytes, 'suspendedAt', t.suspended_at, 'createdAt', t.created_at, 'schemaVersion', t.schema_version)
       order by t.name), '[]'::jsonb)
     from (select * from tenant where deleted_at is null and (p_name is null or name > p_name) order by name limit p_limit) t $$;
--> statement-breakpoint
alter function attache_tenants_after(text, int) owner to attache_owner;
--> statement-breakpoint
revoke create on schema public from attache_owner;
--> statement-breakpoint
revoke execute on function attache_tenants_after(text, int) from public;
--> statement-breakpoint
grant execute on function attache_tenants_after(text, int) to attache_worker;
