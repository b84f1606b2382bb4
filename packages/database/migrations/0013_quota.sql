-- Bytes that the store holds although nothing counts them as used or reserved: condemned blobs, and deleted ones that were not removed yet. With
-- what is used and reserved they never come to more than twice the quota. A reservation ends with its holder's lease.
ALTER TABLE "tenant" ADD COLUMN "condemned_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "blob" ADD COLUMN "holder" uuid;--> statement-breakpoint
-- What a blob takes of the store beside what is used and reserved. A reservation that ended counts whole until the store was asked.
create function attache_left_bytes(p_state text, p_deleted_at timestamptz, p_size bigint, p_reserved bigint) returns bigint language sql immutable as
$$ select case when p_state = 'condemned' or p_state = 'deleted' and p_deleted_at is null then coalesce(p_size, p_reserved) else 0 end $$;
--> statement-breakpoint
create function attache_count_condemned() returns trigger language plpgsql as $$
declare added bigint;
begin
  select coalesce(sum(c.bytes), 0) into added from (
    select attache_left_bytes(state, deleted_at, size_bytes, reserved_bytes) as bytes from blobs_after
    union all select -attache_left_bytes(state, deleted_at, size_bytes, reserved_bytes) from blobs_before) c;
  if added <> 0 then update tenant set condemned_bytes = condemned_bytes + added where tenant_id = attache_tenant_id(); end if;
  return null;
end $$;
--> statement-breakpoint
create trigger count_condemned after update on blob referencing old table as blobs_before new table as blobs_after
  for each statement execute function attache_count_condemned();
--> statement-breakpoint
-- The owner of a table sees its rows only while it is not forced.
alter table tenant no force row level security;
--> statement-breakpoint
alter table blob no force row level security;
--> statement-breakpoint
update tenant set condemned_bytes = (select coalesce(sum(attache_left_bytes(b.state, b.deleted_at, b.size_bytes, b.reserved_bytes)), 0)
  from blob b where b.tenant_id = tenant.tenant_id);
--> statement-breakpoint
alter table tenant force row level security;
--> statement-breakpoint
alter table blob force row level security;
--> statement-breakpoint
grant create on schema public to attache_owner;
--> statement-breakpoint
-- Tenants that have reservations of dead processes, or ended ones of whose bytes the store was not asked.
create function attache_tenants_with_ended_reservations() returns setof uuid language sql stable security definer set search_path = public, pg_temp as
$$ select distinct tenant_id from blob where sha256 is null and (state = 'condemned' and size_bytes is null
     or state = 'reserved' and holder is not null and not attache_is_alive(holder)) $$;
--> statement-breakpoint
alter function attache_tenants_with_ended_reservations() owner to attache_owner;
--> statement-breakpoint
revoke create on schema public from attache_owner;
--> statement-breakpoint
revoke execute on function attache_tenants_with_ended_reservations() from public;
--> statement-breakpoint
grant execute on function attache_tenants_with_ended_reservations() to attache_worker;
--> statement-breakpoint
-- Condemns the reservations whose holder's lease has ended. Answers how many. Inside a tenant.
create function attache_end_dead_reservations() returns int language plpgsql as $$
declare ended int; freed bigint;
begin
  perform attache_lock_usage();
  with dead as (
    update blob b set state = 'condemned', condemned_at = now(), confirmed_at = null
      where b.tenant_id = attache_tenant_id() and b.state = 'reserved' and b.holder is not null and not attache_is_alive(b.holder)
      returning b.reserved_bytes)
  select count(*), coalesce(sum(d.reserved_bytes), 0) into ended, freed from dead d;
  if freed > 0 then update tenant set reserved_bytes = greatest(0, reserved_bytes - freed) where tenant_id = attache_tenant_id(); end if;
  return ended;
end $$;
--> statement-breakpoint
create function attache_end_reservations(p_tenant uuid) returns jsonb language plpgsql as $$
begin
  perform attache_enter(p_tenant);
  return to_jsonb(attache_end_dead_reservations());
end $$;
--> statement-breakpoint
-- Reserves bytes. Else why not: what is used and reserved fills the quota, or with what waits for its removal twice the quota. Inside a tenant.
create function attache_take_quota(p_bytes bigint) returns text language plpgsql as $$
declare refusal text;
begin
  update tenant set reserved_bytes = reserved_bytes + p_bytes
    where tenant_id = attache_tenant_id() and (quota_bytes is null
      or used_bytes + reserved_bytes + p_bytes <= quota_bytes and used_bytes + reserved_bytes + condemned_bytes + p_bytes <= 2 * quota_bytes);
  if found then return null; end if;
  select case when used_bytes + reserved_bytes + p_bytes > quota_bytes then 'quota-exceeded' else 'quota-held' end into refusal
    from tenant where tenant_id = attache_tenant_id();
  return refusal;
end $$;
--> statement-breakpoint
-- As before; a reservation has a holder, and those of dead holders are ended where one more finds no room.
create or replace function attache_reserve_upload(p jsonb) returns jsonb language plpgsql as $$
declare session_status text; once jsonb; wanted bigint := (p->>'reserveBytes')::bigint; refusal text;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  select s.status into session_status from session s
    where s.tenant_id = attache_tenant_id() and s.id = (p->>'sessionId')::uuid and s.deleted_at is null;
  if session_status is null then return jsonb_build_object('outcome', 'session-not-found'); end if;
  if session_status <> 'active' then return jsonb_build_object('outcome', 'session-ended'); end if;
  if p ? 'idempotency' then
    once := attache_open_idempotency(p->'idempotency');
    if once->>'state' = 'done' then return once || jsonb_build_object('outcome', 'replay'); end if;
    if once->>'state' = 'reused' then return jsonb_build_object('outcome', 'key-reused'); end if;
    if once->>'state' <> 'opened' then return jsonb_build_object('outcome', 'in-progress'); end if;
  end if;
  refusal := attache_take_quota(wanted);
  if refusal is not null and attache_end_dead_reservations() > 0 then refusal := attache_take_quota(wanted); end if;
  if refusal is not null then
    if p ? 'idempotency' then
      delete from idempotency where tenant_id = attache_tenant_id() and route = p->'idempotency'->>'route'
        and session_id = (p->>'sessionId')::uuid and key = p->'idempotency'->>'key';
    end if;
    return jsonb_build_object('outcome', refusal);
  end if;
  insert into blob (tenant_id, id, key, store_id, state, reserved_bytes, holder)
    values (attache_tenant_id(), (p->>'blobId')::uuid, p->>'key', p->>'storeId', 'reserved', wanted, (p->>'holder')::uuid);
  return jsonb_build_object('outcome', 'reserved');
end $$;
--> statement-breakpoint
-- As before; a second copy of the same bytes is deleted here, and its bytes can be removed at once.
create or replace function attache_record_attachment(p jsonb) returns jsonb language plpgsql as $$
declare
  size bigint := (p->>'sizeBytes')::bigint; session_status text; written record; same record;
  the_blob uuid := (p->>'blobId')::uuid; added bigint := size;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  select status into session_status from session where tenant_id = attache_tenant_id() and id = (p->>'sessionId')::uuid and deleted_at is null;
  if session_status is distinct from 'active' then return jsonb_build_object('outcome', 'session-ended'); end if;
  if p ? 'fence' and not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return jsonb_build_object('outcome', 'ownership-lost');
  end if;
  perform attache_lock_usage();
  select b.reserved_bytes, b.store_id, b.enc_key_id into written from blob b where b.tenant_id = attache_tenant_id() and b.id = the_blob and b.state = 'reserved';
  if not found then return jsonb_build_object('outcome', 'reservation-lost'); end if;
  select b.id, b.state into same from blob b where b.tenant_id = attache_tenant_id() and b.sha256 = p->>'sha256' and b.size_bytes = size
    and b.state in ('live', 'condemned') and b.store_id = written.store_id and b.enc_key_id = written.enc_key_id order by b.state desc, b.created_at, b.id limit 1;
  if same.id is null then
    update blob set state = 'live', size_bytes = size, sha256 = p->>'sha256' where tenant_id = attache_tenant_id() and id = the_blob;
  else
    update blob set state = 'deleted', size_bytes = size where tenant_id = attache_tenant_id() and id = the_blob;
    the_blob := same.id;
    if same.state = 'condemned' then
      update blob set state = 'live', condemned_at = null, confirmed_at = null where tenant_id = attache_tenant_id() and id = the_blob;
    else
      added := 0;
    end if;
  end if;
  update tenant set reserved_bytes = greatest(0, reserved_bytes - written.reserved_bytes), used_bytes = used_bytes + added where tenant_id = attache_tenant_id();
  insert into attachment (tenant_id, id, session_id, blob_id, declared_mime_type, mime_type, kind, size_bytes, sha256, origin, source, trace, created_at)
    values (attache_tenant_id(), (p->>'attachmentId')::uuid, (p->>'sessionId')::uuid, the_blob, p->>'declaredMimeType', p->>'mimeType', p->>'kind',
            size, p->>'sha256', p->>'origin', p->>'source', p->'trace', (p->>'createdAt')::timestamptz);
  insert into attachment_name (tenant_id, attachment_id, name) values (attache_tenant_id(), (p->>'attachmentId')::uuid, p->>'name');
  if p ? 'grantAgentId' then
    insert into access_grant (tenant_id, id, session_id, attachment_id, agent_id)
      values (attache_tenant_id(), (p->>'grantId')::uuid, (p->>'sessionId')::uuid, (p->>'attachmentId')::uuid, (p->>'grantAgentId')::uuid);
  end if;
  insert into outbox (tenant_id, id, subject, data, trace)
    values (attache_tenant_id(), (p->>'outboxId')::uuid, 'attachment.added',
            jsonb_build_object('tenantId', p->>'tenantId', 'sessionId', p->>'sessionId', 'attachmentId', p->>'attachmentId'), p->'trace');
  if p ? 'idempotency' then perform attache_close_idempotency(p->'idempotency'); end if;
  perform attache_append_as_caller((p->>'sessionId')::uuid, p->'events');
  return jsonb_build_object('outcome', 'recorded', 'blobId', the_blob);
end $$;
--> statement-breakpoint
-- As before; true also of a reservation that ended before: whoever comes back with its bytes removes them.
create or replace function attache_abandon_upload(p jsonb) returns jsonb language plpgsql as $$
declare reserved bigint; is_left boolean;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  perform attache_lock_usage();
  select true into is_left from blob where tenant_id = attache_tenant_id() and id = (p->>'blobId')::uuid and state = 'condemned' and sha256 is null;
  update blob set state = 'condemned', condemned_at = now() where tenant_id = attache_tenant_id() and id = (p->>'blobId')::uuid and state = 'reserved'
    returning reserved_bytes into reserved;
  if reserved is not null then
    update tenant set reserved_bytes = greatest(0, reserved_bytes - reserved) where tenant_id = attache_tenant_id();
  end if;
  if p ? 'idempotency' then
    delete from idempotency where tenant_id = attache_tenant_id() and route = p->'idempotency'->>'route'
      and session_id = (p->'idempotency'->>'sessionId')::uuid and key = p->'idempotency'->>'key' and state = 'in-progress'
      and ticket is not distinct from (p->'idempotency'->>'ticket')::uuid;
  end if;
  return to_jsonb(reserved is not null or coalesce(is_left, false));
end $$;
--> statement-breakpoint
-- Takes those blobs out of use that only these deleted attachments ever used: nobody can come to use them, and their bytes can be removed at once.
-- Answers them. Inside a tenant.
create function attache_delete_unshared(p_attachments uuid[], p_retryable_since timestamptz) returns jsonb language plpgsql as $$
declare gone jsonb; freed bigint;
begin
  perform attache_lock_usage();
  with unshared as (
    update blob b set state = 'deleted'
      where b.tenant_id = attache_tenant_id() and b.state = 'live'
        and b.id in (select a.blob_id from attachment a where a.tenant_id = attache_tenant_id() and a.id = any(p_attachments) and a.deleted_at is not null)
        and not attache_is_blob_used(b.id, p_retryable_since)
        and not exists (select 1 from attachment o where o.tenant_id = b.tenant_id and o.blob_id = b.id and o.id <> all(p_attachments))
        and not exists (select 1 from variant v where v.tenant_id = b.tenant_id and v.blob_id = b.id)
      returning b.id, b.key, b.size_bytes)
  select coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'key', u.key)), '[]'::jsonb), coalesce(sum(u.size_bytes), 0) into gone, freed from unshared u;
  if freed > 0 then update tenant set used_bytes = greatest(0, used_bytes - freed) where tenant_id = attache_tenant_id(); end if;
  return gone;
end $$;
