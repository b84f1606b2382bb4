-- De-duplication inside a tenant, and the collection of bytes that nothing uses. The tenant's row is locked before any of its blobs
-- changes state, so that states, references and the bytes in use are true together.
CREATE INDEX "attachment_of_blob" ON "attachment" USING btree ("tenant_id","blob_id");
--> statement-breakpoint
CREATE INDEX "attachment_of_digest" ON "attachment" USING btree ("tenant_id","sha256");
--> statement-breakpoint
CREATE INDEX "variant_of_blob" ON "variant" USING btree ("tenant_id","blob_id");
--> statement-breakpoint
CREATE INDEX "message_attachment_of_attachment" ON "message_attachment" USING btree ("tenant_id","attachment_id");
--> statement-breakpoint
CREATE INDEX "delivery_of_message" ON "delivery" USING btree ("tenant_id","message_id");
--> statement-breakpoint
CREATE INDEX "blob_collectable" ON "blob" USING btree ("tenant_id","state") WHERE state in ('reserved', 'condemned');
--> statement-breakpoint
CREATE INDEX "blob_undeleted" ON "blob" USING btree ("tenant_id","id") WHERE state = 'deleted' and deleted_at is null;
--> statement-breakpoint
grant create on schema public to attache_owner;
--> statement-breakpoint
grant usage on schema drizzle to attache_owner;
--> statement-breakpoint
grant select on drizzle.__drizzle_migrations to attache_owner;
--> statement-breakpoint
-- Number of the newest migration of this database; the first one is 0.
create function attache_schema_version() returns int language sql stable security definer set search_path = pg_catalog, pg_temp as
$$ select count(*)::int - 1 from drizzle.__drizzle_migrations $$;
--> statement-breakpoint
-- Tenants in the order of their ids, for sweeps that visit each.
create function attache_tenant_ids_after(p_after uuid, p_limit int) returns setof uuid language sql stable security definer set search_path = public, pg_temp as
$$ select tenant_id from tenant where p_after is null or tenant_id > p_after order by tenant_id limit p_limit $$;
--> statement-breakpoint
alter function attache_schema_version() owner to attache_owner;
--> statement-breakpoint
alter function attache_tenant_ids_after(uuid, int) owner to attache_owner;
--> statement-breakpoint
revoke create on schema public from attache_owner;
--> statement-breakpoint
revoke execute on function attache_schema_version(), attache_tenant_ids_after(uuid, int) from public;
--> statement-breakpoint
grant execute on function attache_schema_version() to attache_app, attache_worker;
--> statement-breakpoint
grant execute on function attache_tenant_ids_after(uuid, int) to attache_worker;
--> statement-breakpoint
-- Without it, a temporary table of the caller would stand before the real one.
alter function attache_tenant_of_key(uuid) set search_path = public, pg_temp;
--> statement-breakpoint
alter function attache_tenant_of_attachment(uuid) set search_path = public, pg_temp;
--> statement-breakpoint
alter function attache_tenant_named(text) set search_path = public, pg_temp;
--> statement-breakpoint
alter function attache_tenants_with_abandoned_blobs(timestamptz) set search_path = public, pg_temp;
--> statement-breakpoint
do $$ begin execute format('revoke temporary on database %I from public', current_database()); end $$;
--> statement-breakpoint
create function attache_lock_usage() returns void language plpgsql as $$
begin
  perform 1 from tenant where tenant_id = attache_tenant_id() for no key update;
end $$;
--> statement-breakpoint
-- Whether an attachment still needs its bytes: it is not deleted, is under a legal hold, or a delivery that can still happen names it.
create function attache_needs_bytes(p_attachment attachment, p_retryable_since timestamptz) returns boolean language sql stable as $$
  select p_attachment.deleted_at is null or p_attachment.legal_hold
    or exists (select 1 from session s where s.tenant_id = p_attachment.tenant_id and s.id = p_attachment.session_id and s.legal_hold)
    or exists (select 1 from message_attachment m join delivery d on d.tenant_id = m.tenant_id and d.message_id = m.message_id
        where m.tenant_id = p_attachment.tenant_id and m.attachment_id = p_attachment.id
          and (d.status in ('queued', 'prepared', 'claimed', 'written')
            or d.status = 'failed' and (d.failure->>'retryable')::boolean and exists (select 1 from delivery_transition t
              where t.tenant_id = d.tenant_id and t.delivery_id = d.id and t.at >= p_retryable_since)))
$$;
--> statement-breakpoint
-- Whether anything refers to a blob: an attachment that needs it, a variant of one, or the tenant's legal hold.
create function attache_is_blob_used(p_blob uuid, p_retryable_since timestamptz) returns boolean language sql stable as $$
  select exists (select 1 from attachment a where a.tenant_id = attache_tenant_id() and a.blob_id = p_blob and attache_needs_bytes(a, p_retryable_since))
    or exists (select 1 from variant v join attachment a on a.tenant_id = v.tenant_id and a.sha256 = v.source_sha256
        where v.tenant_id = attache_tenant_id() and v.blob_id = p_blob and attache_needs_bytes(a, p_retryable_since))
    or exists (select 1 from tenant t where t.tenant_id = attache_tenant_id() and t.legal_hold)
$$;
--> statement-breakpoint
-- Condemns those of the live blobs that nothing uses; they no longer count as used bytes.
create function attache_condemn_blobs(p_blobs uuid[], p_retryable_since timestamptz, p_at timestamptz) returns jsonb language plpgsql as $$
declare freed bigint; condemned int; orphans int;
begin
  perform attache_lock_usage();
  with gone as (
    update blob b set state = 'condemned', condemned_at = p_at, confirmed_at = null
      where b.tenant_id = attache_tenant_id() and b.id = any(p_blobs) and b.state = 'live' and not attache_is_blob_used(b.id, p_retryable_since)
      returning b.id, b.size_bytes)
  select count(*), coalesce(sum(g.size_bytes), 0), count(*) filter (where exists (
      select 1 from variant v where v.tenant_id = attache_tenant_id() and v.blob_id = g.id)) into condemned, freed, orphans from gone g;
  if freed > 0 then update tenant set used_bytes = greatest(0, used_bytes - freed) where tenant_id = attache_tenant_id(); end if;
  return jsonb_build_object('condemned', condemned, 'orphanVariants', orphans);
end $$;
--> statement-breakpoint
-- One page of the tenant's live blobs in the order of their ids, and which of them nothing uses.
create function attache_find_unused_blobs(p jsonb) returns jsonb language plpgsql as $$
declare found jsonb;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  with page as (
    select b.id, b.size_bytes from blob b where b.tenant_id = attache_tenant_id() and b.state = 'live' and (p->>'after' is null or b.id > (p->>'after')::uuid)
      and (p->>'until' is null or b.id <= (p->>'until')::uuid) order by b.id limit (p->>'limit')::int),
  unused as (select page.id, page.size_bytes from page where not attache_is_blob_used(page.id, (p->>'retryableSince')::timestamptz))
  select jsonb_build_object(
      'last', (select page.id from page order by page.id desc limit 1),
      'isLastPage', (select count(*) from page) < (p->>'limit')::int,
      'unused', coalesce((select jsonb_agg(unused.id) from unused), '[]'::jsonb),
      'orphanVariants', (select count(*) from unused where exists (
        select 1 from variant v where v.tenant_id = attache_tenant_id() and v.blob_id = unused.id))) into found;
  return found;
end $$;
--> statement-breakpoint
create function attache_condemn_unused(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter((p->>'tenantId')::uuid);
  return attache_condemn_blobs(array(select jsonb_array_elements_text(p->'blobIds')::uuid), (p->>'retryableSince')::timestamptz, (p->>'now')::timestamptz);
end $$;
--> statement-breakpoint
-- One step of a pass over what is not live: old reservations are condemned; condemned blobs are revived by a reference, else confirmed, else,
-- when an earlier pass confirmed them, deleted. References are looked at again here, in the transaction that decides.
create function attache_collect_blobs(p jsonb) returns jsonb language plpgsql as $$
declare
  at timestamptz := (p->>'now')::timestamptz; since timestamptz := (p->>'retryableSince')::timestamptz; batch int := (p->>'limit')::int;
  abandoned uuid[]; reserved bigint; revived uuid[]; regained bigint; doomed uuid[]; doomed_bytes bigint; confirmed uuid[];
begin
  perform attache_enter((p->>'tenantId')::uuid);
  perform attache_lock_usage();
  select coalesce(array_agg(id), '{}'), coalesce(sum(reserved_bytes), 0) into abandoned, reserved from (
    select b.id, b.reserved_bytes from blob b where b.tenant_id = attache_tenant_id() and b.state = 'reserved' and b.created_at <= (p->>'reservedBefore')::timestamptz
      limit batch) old;
  select coalesce(array_agg(id), '{}'), coalesce(sum(size_bytes), 0) into revived, regained from (
    select b.id, b.size_bytes from blob b where b.tenant_id = attache_tenant_id() and b.state = 'condemned' and b.sha256 is not null
      and attache_is_blob_used(b.id, since) limit batch) used;
  select coalesce(array_agg(id), '{}'), coalesce(sum(size_bytes), 0) into doomed, doomed_bytes from (
    select b.id, b.size_bytes from blob b where b.tenant_id = attache_tenant_id() and b.state = 'condemned' and b.confirmed_at < at
      and b.confirmed_at <= (p->>'confirmedBefore')::timestamptz and not attache_is_blob_used(b.id, since) limit batch) twice;
  select coalesce(array_agg(id), '{}') into confirmed from (
    select b.id from blob b where b.tenant_id = attache_tenant_id() and b.state = 'condemned' and b.confirmed_at is null
      and b.condemned_at <= (p->>'condemnedBefore')::timestamptz and not attache_is_blob_used(b.id, since) limit batch) once;
  if not coalesce((p->>'isDryRun')::boolean, false) then
    update blob set state = 'condemned', condemned_at = at, confirmed_at = null where tenant_id = attache_tenant_id() and id = any(abandoned);
    update blob set state = 'live', condemned_at = null, confirmed_at = null where tenant_id = attache_tenant_id() and id = any(revived);
    update blob set confirmed_at = at where tenant_id = attache_tenant_id() and id = any(confirmed);
    delete from variant where tenant_id = attache_tenant_id() and blob_id = any(doomed);
    update blob set state = 'deleted' where tenant_id = attache_tenant_id() and id = any(doomed);
    if reserved > 0 or regained > 0 then
      update tenant set reserved_bytes = greatest(0, reserved_bytes - reserved), used_bytes = used_bytes + regained where tenant_id = attache_tenant_id();
    end if;
  end if;
  return jsonb_build_object('condemned', cardinality(abandoned), 'revived', cardinality(revived), 'confirmed', cardinality(confirmed),
    'doomed', cardinality(doomed), 'doomedBytes', doomed_bytes,
    'isDone', greatest(cardinality(abandoned), cardinality(revived), cardinality(confirmed), cardinality(doomed)) < batch);
end $$;
--> statement-breakpoint
-- After the bytes: blob live, attachment pending, outbox, idempotency, log event, in one round trip. Where the tenant has the same bytes already, the
-- attachment uses those; the blob that was written stays condemned and is collected.
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
    -- Without a digest: nobody may come to use it.
    update blob set state = 'condemned', condemned_at = now(), size_bytes = size where tenant_id = attache_tenant_id() and id = the_blob;
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
  perform attache_append_events((p->>'sessionId')::uuid, p->'events');
  return jsonb_build_object('outcome', 'recorded', 'blobId', the_blob);
end $$;
--> statement-breakpoint
-- An upload that did not end well gives back what it reserved. True: the bytes are nobody's, and may be removed. The row stays.
create or replace function attache_abandon_upload(p jsonb) returns jsonb language plpgsql as $$
declare reserved bigint;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  perform attache_lock_usage();
  update blob set state = 'condemned', condemned_at = now() where tenant_id = attache_tenant_id() and id = (p->>'blobId')::uuid and state = 'reserved'
    returning reserved_bytes into reserved;
  if reserved is not null then
    update tenant set reserved_bytes = greatest(0, reserved_bytes - reserved) where tenant_id = attache_tenant_id();
  end if;
  if p ? 'idempotency' then
    delete from idempotency where tenant_id = attache_tenant_id() and route = p->'idempotency'->>'route'
      and session_id = (p->'idempotency'->>'sessionId')::uuid and key = p->'idempotency'->>'key' and state = 'in-progress';
  end if;
  return to_jsonb(reserved is not null);
end $$;
--> statement-breakpoint
-- Bytes in use were not given back by deletions before. The owner of a table sees its rows only while it is not forced.
alter table tenant no force row level security;
--> statement-breakpoint
alter table blob no force row level security;
--> statement-breakpoint
update tenant set used_bytes = (select coalesce(sum(b.size_bytes), 0) from blob b where b.tenant_id = tenant.tenant_id and b.state = 'live');
--> statement-breakpoint
alter table tenant force row level security;
--> statement-breakpoint
alter table blob force row level security;
