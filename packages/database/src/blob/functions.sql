-- Whether an attachment still needs its bytes: it is not deleted, is under a legal hold, or a delivery that can still happen names it.
create or replace function attache_needs_bytes(p_attachment attachment, p_retryable_since timestamptz) returns boolean language plpgsql stable as $$
begin
  return p_attachment.deleted_at is null or p_attachment.legal_hold
    or exists (select 1 from session s where s.tenant_id = p_attachment.tenant_id and s.id = p_attachment.session_id and s.legal_hold)
    or exists (select 1 from message_attachment m join delivery d on d.tenant_id = m.tenant_id and d.message_id = m.message_id
        where m.tenant_id = p_attachment.tenant_id and m.attachment_id = p_attachment.id
          and (d.status in ('queued', 'prepared', 'claimed', 'written')
            or d.status = 'failed' and (d.failure->>'retryable')::boolean and exists (select 1 from delivery_transition t
              where t.tenant_id = d.tenant_id and t.delivery_id = d.id and t.at >= p_retryable_since)));
end $$;

-- Whether anything refers to a blob: an attachment that needs it, a variant of one, or the tenant's legal hold.
create or replace function attache_is_blob_used(p_blob uuid, p_retryable_since timestamptz) returns boolean language sql stable as $$
  select exists (select 1 from attachment a where a.tenant_id = (select attache_tenant_id()) and a.blob_id = p_blob and attache_needs_bytes(a, p_retryable_since))
    -- The offset keeps the planner from asking what every attachment of the tenant needs before it knows whose variants the blob holds.
    or exists (select 1 from variant v cross join lateral (
          select a as source from attachment a where a.tenant_id = v.tenant_id and a.sha256 = v.source_sha256 offset 0) s
        where v.tenant_id = (select attache_tenant_id()) and v.blob_id = p_blob and attache_needs_bytes(s.source, p_retryable_since))
    or exists (select 1 from checkpoint_pack k join checkpoint c on c.tenant_id = k.tenant_id and c.agent_id = k.agent_id
        where k.tenant_id = (select attache_tenant_id()) and k.blob_id = p_blob and p_blob = any(c.packs))
    or exists (select 1 from tenant t where t.tenant_id = (select attache_tenant_id()) and t.legal_hold)
$$;

-- Condemns those of the live blobs that nothing uses; they no longer count as used bytes.
create or replace function attache_condemn_blobs(p_blobs uuid[], p_retryable_since timestamptz, p_at timestamptz) returns jsonb language plpgsql as $$
declare freed bigint; condemned int; orphans int;
begin
  perform attache_lock_usage();
  with gone as (
    update blob b set state = 'condemned', condemned_at = p_at, confirmed_at = null
      where b.tenant_id = (select attache_tenant_id()) and b.id = any(p_blobs) and b.state = 'live' and not attache_is_blob_used(b.id, p_retryable_since)
      returning b.id, b.size_bytes)
  select count(*), coalesce(sum(g.size_bytes), 0), count(*) filter (where exists (
      select 1 from variant v where v.tenant_id = (select attache_tenant_id()) and v.blob_id = g.id)) into condemned, freed, orphans from gone g;
  if freed > 0 then update tenant set used_bytes = greatest(0, used_bytes - freed) where tenant_id = (select attache_tenant_id()); end if;
  return jsonb_build_object('condemned', condemned, 'orphanVariants', orphans);
end $$;

-- One page of the tenant's live blobs in the order of their ids, and which of them nothing uses.
create or replace function attache_find_unused_blobs(p jsonb) returns jsonb language plpgsql as $$
declare found jsonb; behind uuid := coalesce((p->>'after')::uuid, '00000000-0000-0000-0000-000000000000'); up_to uuid := coalesce((p->>'until')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  perform attache_enter((p->>'tenantId')::uuid);
  with page as (
    select b.id, b.size_bytes from blob b where b.tenant_id = (select attache_tenant_id()) and b.state = 'live' and b.id > behind and b.id <= up_to
      order by b.id limit (p->>'limit')::int),
  unused as (select page.id, page.size_bytes from page where not attache_is_blob_used(page.id, (p->>'retryableSince')::timestamptz))
  select jsonb_build_object(
      'last', (select page.id from page order by page.id desc limit 1),
      'isLastPage', (select count(*) from page) < (p->>'limit')::int,
      'unused', coalesce((select jsonb_agg(unused.id) from unused), '[]'::jsonb),
      'orphanVariants', (select count(*) from unused where exists (
        select 1 from variant v where v.tenant_id = (select attache_tenant_id()) and v.blob_id = unused.id))) into found;
  return found;
end $$;

create or replace function attache_condemn_unused(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter((p->>'tenantId')::uuid);
  return attache_condemn_blobs(array(select jsonb_array_elements_text(p->'blobIds')::uuid), (p->>'retryableSince')::timestamptz, (p->>'now')::timestamptz);
end $$;

-- One page of what is reserved or condemned, in the order of the ids, and which of it has a step to take. Only a look: it holds no lock, and whoever takes
-- the steps looks again.
create or replace function attache_find_collectable(p jsonb) returns jsonb language plpgsql as $$
declare
  found jsonb; at timestamptz := (p->>'now')::timestamptz; since timestamptz := (p->>'retryableSince')::timestamptz; batch int := (p->>'limit')::int;
  behind uuid := coalesce((p->>'after')::uuid, '00000000-0000-0000-0000-000000000000'); up_to uuid := coalesce((p->>'until')::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  perform attache_enter((p->>'tenantId')::uuid);
  with page as materialized (
    select * from (
      (select b.* from blob b where b.tenant_id = (select attache_tenant_id()) and b.state = 'reserved' and b.id > behind and b.id <= up_to order by b.id limit batch)
      union all
      (select b.* from blob b where b.tenant_id = (select attache_tenant_id()) and b.state = 'condemned' and b.id > behind and b.id <= up_to order by b.id limit batch)) either
      order by either.id limit batch),
  due as (
    select b.id from page b where case
      when b.state = 'reserved' then b.created_at <= (p->>'reservedBefore')::timestamptz
      when b.confirmed_at is null and b.condemned_at <= (p->>'condemnedBefore')::timestamptz then true
      when b.confirmed_at < at and b.confirmed_at <= (p->>'confirmedBefore')::timestamptz then true
      else b.sha256 is not null and attache_is_blob_used(b.id, since) end)
  select jsonb_build_object(
      'last', (select page.id from page order by page.id desc limit 1),
      'isLastPage', (select count(*) from page) < batch,
      'due', coalesce((select jsonb_agg(due.id) from due), '[]'::jsonb)) into found;
  return found;
end $$;

-- Takes those of the found blobs one step on that still have one to take: old reservations are condemned; condemned blobs are revived by a reference, else
-- confirmed, else, when an earlier pass confirmed them, deleted. References are looked at again here, under the lock of the transaction that decides (W12).
create or replace function attache_collect_found(p jsonb) returns jsonb language plpgsql as $$
declare
  at timestamptz := (p->>'now')::timestamptz; since timestamptz := (p->>'retryableSince')::timestamptz;
  ids uuid[] := array(select jsonb_array_elements_text(p->'blobIds')::uuid);
  abandoned uuid[]; reserved bigint; revived uuid[]; regained bigint; doomed uuid[]; doomed_bytes bigint; confirmed uuid[];
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not coalesce((p->>'isDryRun')::boolean, false) then perform attache_lock_usage(); end if;
  with step as materialized (
    select b.id, b.size_bytes, b.reserved_bytes, case
        when b.state = 'reserved' then case when b.created_at <= (p->>'reservedBefore')::timestamptz then 'abandoned' end
        when attache_is_blob_used(b.id, since) then case when b.sha256 is not null then 'revived' end
        when b.confirmed_at < at and b.confirmed_at <= (p->>'confirmedBefore')::timestamptz then 'doomed'
        when b.confirmed_at is null and b.condemned_at <= (p->>'condemnedBefore')::timestamptz then 'confirmed' end as kind
      from blob b where b.tenant_id = (select attache_tenant_id()) and b.id = any(ids) and b.state in ('reserved', 'condemned'))
  select coalesce(array_agg(s.id) filter (where s.kind = 'abandoned'), '{}'), coalesce(sum(s.reserved_bytes) filter (where s.kind = 'abandoned'), 0),
      coalesce(array_agg(s.id) filter (where s.kind = 'revived'), '{}'), coalesce(sum(s.size_bytes) filter (where s.kind = 'revived'), 0),
      coalesce(array_agg(s.id) filter (where s.kind = 'doomed'), '{}'), coalesce(sum(s.size_bytes) filter (where s.kind = 'doomed'), 0),
      coalesce(array_agg(s.id) filter (where s.kind = 'confirmed'), '{}')
    into abandoned, reserved, revived, regained, doomed, doomed_bytes, confirmed from step s;
  if not coalesce((p->>'isDryRun')::boolean, false) then
    update blob set state = 'condemned', condemned_at = at, confirmed_at = null where tenant_id = (select attache_tenant_id()) and id = any(abandoned);
    update blob set state = 'live', condemned_at = null, confirmed_at = null where tenant_id = (select attache_tenant_id()) and id = any(revived);
    update blob set confirmed_at = at where tenant_id = (select attache_tenant_id()) and id = any(confirmed);
    delete from variant where tenant_id = (select attache_tenant_id()) and blob_id = any(doomed);
    update blob set state = 'deleted' where tenant_id = (select attache_tenant_id()) and id = any(doomed);
    if reserved > 0 or regained > 0 then
      update tenant set reserved_bytes = greatest(0, reserved_bytes - reserved), used_bytes = used_bytes + regained where tenant_id = (select attache_tenant_id());
    end if;
  end if;
  return jsonb_build_object('condemned', cardinality(abandoned), 'revived', cardinality(revived), 'confirmed', cardinality(confirmed),
    'doomed', cardinality(doomed), 'doomedBytes', doomed_bytes);
end $$;

-- Both at once, for processes of the release before: the first page on which something is due.
create or replace function attache_collect_blobs(p jsonb) returns jsonb language plpgsql as $$
declare found jsonb := '{"last": null}';
begin
  loop
    found := attache_find_collectable(p || jsonb_build_object('after', found->'last'));
    exit when jsonb_array_length(found->'due') > 0 or (found->>'isLastPage')::boolean;
  end loop;
  return attache_collect_found(p || jsonb_build_object('blobIds', found->'due')) || jsonb_build_object('isDone', found->'isLastPage');
end $$;

-- Takes those blobs out of use that only these deleted attachments ever used: nobody can come to use them, and their bytes can be removed at once.
-- Answers them. Inside a tenant.
create or replace function attache_delete_unshared(p_attachments uuid[], p_retryable_since timestamptz) returns jsonb language plpgsql as $$
declare gone jsonb; freed bigint;
begin
  perform attache_lock_usage();
  with unshared as (
    update blob b set state = 'deleted'
      where b.tenant_id = (select attache_tenant_id()) and b.state = 'live'
        and b.id in (select a.blob_id from attachment a where a.tenant_id = (select attache_tenant_id()) and a.id = any(p_attachments) and a.deleted_at is not null)
        and not attache_is_blob_used(b.id, p_retryable_since)
        and not exists (select 1 from attachment o where o.tenant_id = b.tenant_id and o.blob_id = b.id and o.id <> all(p_attachments))
        and not exists (select 1 from variant v where v.tenant_id = b.tenant_id and v.blob_id = b.id)
      returning b.id, b.key, b.size_bytes)
  select coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'key', u.key)), '[]'::jsonb), coalesce(sum(u.size_bytes), 0) into gone, freed from unshared u;
  if freed > 0 then update tenant set used_bytes = greatest(0, used_bytes - freed) where tenant_id = (select attache_tenant_id()); end if;
  return gone;
end $$;

-- Takes a blob out of use whose bytes the store no longer has, so that the next upload of the same bytes brings them back. Inside a tenant.
create or replace function attache_mark_bytes_lost(p_key text) returns void language plpgsql as $$
declare size bigint;
begin
  perform attache_lock_usage();
  update blob set state = 'deleted', deleted_at = now() where tenant_id = (select attache_tenant_id()) and key = p_key and state = 'live'
    returning coalesce(size_bytes, 0) into size;
  if size is null then return; end if;
  update tenant set used_bytes = greatest(0, used_bytes - size) where tenant_id = (select attache_tenant_id());
end $$;

-- Tenants that have bytes which never became a live blob.
create or replace function attache_tenants_with_abandoned_blobs(p_before timestamptz) returns setof uuid language sql stable security definer set search_path = public, pg_temp as
$$ select distinct tenant_id from blob where state in ('reserved', 'condemned') and sha256 is null and created_at < p_before $$;

-- Tenants that have reservations of dead processes, or ended ones of whose bytes the store was not asked: each tenant by one look, and each process of
-- a tenant, however many they have.
create or replace function attache_tenants_with_ended_reservations() returns setof uuid language sql stable security definer set search_path = public, pg_temp as
$$ with recursive unmeasured(tenant_id) as (
     (select b.tenant_id from blob b where b.sha256 is null and b.state = 'condemned' and b.size_bytes is null order by b.tenant_id limit 1)
     union all
     select (select b.tenant_id from blob b where b.sha256 is null and b.state = 'condemned' and b.size_bytes is null and b.tenant_id > u.tenant_id
         order by b.tenant_id limit 1) from unmeasured u where u.tenant_id is not null),
   held(tenant_id, holder) as (
     (select b.tenant_id, b.holder from blob b where b.state = 'reserved' and b.holder is not null order by b.tenant_id, b.holder limit 1)
     union all
     select n.tenant_id, n.holder from held h cross join lateral (
       select b.tenant_id, b.holder from blob b where b.state = 'reserved' and b.holder is not null and (b.tenant_id, b.holder) > (h.tenant_id, h.holder)
         order by b.tenant_id, b.holder limit 1) n)
   select tenant_id from unmeasured where tenant_id is not null
   union select tenant_id from held where not attache_is_alive(holder) $$;

-- Condemns up to 1,000 reservations whose holder's lease has ended. Answers how many. Inside a tenant.
create or replace function attache_end_dead_reservations() returns int language plpgsql as $$
declare ended int; freed bigint; dead_holders uuid[];
begin
  perform attache_lock_usage();
  -- Of each holder once: a page of the living is passed over by one look.
  dead_holders := array(select h.holder from (
    with recursive holders as (
      (select b.holder from blob b where b.tenant_id = (select attache_tenant_id()) and b.state = 'reserved' and b.holder is not null order by b.holder limit 1)
      union all
      select (select b.holder from blob b where b.tenant_id = (select attache_tenant_id()) and b.state = 'reserved' and b.holder > holders.holder order by b.holder limit 1)
        from holders where holders.holder is not null)
    select holder from holders where holder is not null) h where not attache_is_alive(h.holder));
  with dead as (
    update blob b set state = 'condemned', condemned_at = now(), confirmed_at = null
      where b.tenant_id = (select attache_tenant_id()) and b.state = 'reserved' and b.id in (
        select r.id from blob r where r.tenant_id = (select attache_tenant_id()) and r.state = 'reserved' and r.holder = any(dead_holders) order by r.holder limit 1000)
      returning b.reserved_bytes)
  select count(*), coalesce(sum(d.reserved_bytes), 0) into ended, freed from dead d;
  if freed > 0 then update tenant set reserved_bytes = greatest(0, reserved_bytes - freed) where tenant_id = (select attache_tenant_id()); end if;
  return ended;
end $$;

create or replace function attache_end_reservations(p_tenant uuid) returns jsonb language plpgsql as $$
begin
  perform attache_enter(p_tenant);
  return to_jsonb(attache_end_dead_reservations());
end $$;

-- Reserves keys in advance, each with the same share of bytes: as much as is asked, at most so much that all pools of the tenant hold a 64th of what would
-- be free without them. Null where that is less than `leastShareBytes`: then nothing is reserved.
create or replace function attache_fill_pool(p jsonb) returns jsonb language plpgsql set plan_cache_mode = force_generic_plan as $$
declare share bigint := (p->>'shareBytes')::bigint; wanted int := jsonb_array_length(p->'keys'); pooled_bytes bigint;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  perform attache_lock_usage();
  select coalesce(sum(b.reserved_bytes), 0) into pooled_bytes from blob b where b.tenant_id = (select attache_tenant_id()) and b.state = 'reserved' and b.pooled;
  share := least(share, ((attache_free_bytes() + pooled_bytes) / 64 - pooled_bytes) / wanted);
  if share < (p->>'leastShareBytes')::bigint or attache_take_quota(share * wanted) is not null then return null; end if;
  insert into blob (tenant_id, id, key, store_id, state, reserved_bytes, holder, pooled)
    select attache_tenant_id(), k.id, k.key, p->>'storeId', 'reserved', share, (p->>'holder')::uuid, true from jsonb_to_recordset(p->'keys') as k(id uuid, key text);
  return to_jsonb(share);
end $$;

-- Gives keys of a pool back that no upload got: nothing was written under them. Answers how many were still reserved.
create or replace function attache_release_keys(p_tenant uuid, p_blobs uuid[]) returns jsonb language plpgsql as $$
declare released int; freed bigint;
begin
  perform attache_enter(p_tenant);
  perform attache_lock_usage();
  update blob set state = 'deleted', deleted_at = now()
    where tenant_id = (select attache_tenant_id()) and id = any(p_blobs) and state = 'condemned' and pooled and sha256 is null;
  with gone as (
    update blob set state = 'deleted', deleted_at = now() where tenant_id = (select attache_tenant_id()) and id = any(p_blobs) and state = 'reserved' and pooled
      returning reserved_bytes)
  select count(*), coalesce(sum(g.reserved_bytes), 0) into released, freed from gone g;
  if freed > 0 then update tenant set reserved_bytes = greatest(0, reserved_bytes - freed) where tenant_id = (select attache_tenant_id()); end if;
  return to_jsonb(released);
end $$;

-- Ends what is reserved in advance, of every process, so that an upload finds the room. Keys that an upload has already are among them: that one asks for
-- its room again when it is recorded. Answers how many. Inside a tenant.
create or replace function attache_end_pools() returns int language plpgsql as $$
declare ended int; freed bigint;
begin
  perform attache_lock_usage();
  with gone as (
    update blob set state = 'condemned', condemned_at = now(), confirmed_at = null where tenant_id = (select attache_tenant_id()) and state = 'reserved' and pooled
      returning reserved_bytes)
  select count(*), coalesce(sum(g.reserved_bytes), 0) into ended, freed from gone g;
  if freed > 0 then update tenant set reserved_bytes = greatest(0, reserved_bytes - freed) where tenant_id = (select attache_tenant_id()); end if;
  return ended;
end $$;

-- Takes up again what was reserved in advance and has ended since: a reservation of so many bytes, or why there is none. Inside a tenant.
create or replace function attache_reserve_again(p_blob uuid, p_bytes bigint) returns text language plpgsql as $$
declare refusal text := attache_take_quota(p_bytes);
begin
  if refusal is null then
    update blob set state = 'reserved', reserved_bytes = p_bytes, size_bytes = null, condemned_at = null, confirmed_at = null
      where tenant_id = (select attache_tenant_id()) and id = p_blob;
  end if;
  return refusal;
end $$;

-- Makes a reserved blob live whose bytes are written. False: its reservation has ended. Inside a tenant that holds its usage.
create or replace function attache_record_blob(p_blob uuid, p_size bigint, p_sha256 text) returns boolean language plpgsql as $$
declare reserved bigint;
begin
  update blob set state = 'live', size_bytes = p_size, sha256 = p_sha256
    where tenant_id = (select attache_tenant_id()) and id = p_blob and state = 'reserved' returning reserved_bytes into reserved;
  if not found then return false; end if;
  update tenant set reserved_bytes = greatest(0, reserved_bytes - reserved), used_bytes = used_bytes + p_size where tenant_id = (select attache_tenant_id());
  return true;
end $$;

-- Takes blobs out of use that nothing uses any more, and nobody can come to use: their bytes may be removed at once. Answers them. Inside a tenant that holds its usage.
create or replace function attache_release_blobs(p_blobs uuid[]) returns jsonb language plpgsql as $$
declare gone jsonb; freed bigint;
begin
  with released as (
    update blob b set state = 'deleted' where b.tenant_id = (select attache_tenant_id()) and b.id = any(p_blobs) and b.state = 'live'
        and not attache_is_blob_used(b.id, now())
      returning b.id, b.key, b.size_bytes)
  select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'key', r.key)), '[]'::jsonb), coalesce(sum(r.size_bytes), 0) into gone, freed from released r;
  if freed > 0 then update tenant set used_bytes = greatest(0, used_bytes - freed) where tenant_id = (select attache_tenant_id()); end if;
  return gone;
end $$;
