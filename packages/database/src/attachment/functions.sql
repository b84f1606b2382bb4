-- Which of these attachments (uuids), of those that are there, an agent may not read now, in the order of their ids. Inside a tenant. The offset
-- has each grant looked up by itself, however many an agent has.
create or replace function attache_not_granted(p_agent uuid, p_ids uuid[]) returns uuid[] language plpgsql stable as $$
begin
  return array(select a.id from attachment a
    where a.tenant_id = (select attache_tenant_id()) and a.id = any(p_ids) and a.deleted_at is null and not exists (
      select 1 from access_grant g where g.tenant_id = a.tenant_id and g.agent_id = p_agent and g.attachment_id = a.id
        and g.revoked_at is null and (g.expires_at is null or g.expires_at > now()) offset 0)
    order by a.id);
end $$;

-- Which of these attachments an agent may use now: of its tenant and session, there, and granted to it. One look for all ids of a call.
create or replace function attache_permitted(p_tenant uuid, p_session uuid, p_agent uuid, p_ids uuid[]) returns jsonb language plpgsql as $$
declare found jsonb;
begin
  perform attache_enter(p_tenant);
  select coalesce(jsonb_agg(distinct a.id), '[]'::jsonb) into found
    from attachment a join access_grant g on g.tenant_id = a.tenant_id and g.attachment_id = a.id
    where a.tenant_id = (select attache_tenant_id()) and a.id = any(p_ids) and a.session_id = p_session and a.deleted_at is null
      and g.agent_id = p_agent and g.revoked_at is null and (g.expires_at is null or g.expires_at > now());
  return found;
end $$;

create or replace function attache_tenant_of_attachment(p_attachment uuid) returns uuid language sql stable security definer set search_path = public, pg_temp as
$$ select tenant_id from attachment where id = p_attachment $$;

create or replace function attache_find_attachment_tenant(p_attachment uuid) returns jsonb language plpgsql as $$
begin
  perform attache_enter(null);
  return to_jsonb(attache_tenant_of_attachment(p_attachment));
end $$;

-- One look-up for a signed URL: the tenant of an attachment, and all that is needed to send its bytes or those of a variant of it.
create or replace function attache_find_raw(p_attachment uuid, p_variant uuid) returns jsonb language plpgsql as $$
declare tenant_of uuid;
begin
  perform attache_enter(null);
  tenant_of := attache_tenant_of_attachment(p_attachment);
  if tenant_of is null then return null; end if;
  perform attache_enter(tenant_of);
  return (select jsonb_build_object('tenantId', tenant_of, 'sessionId', a.session_id, 'tenantUrlGeneration', t.url_generation, 'isSuspended', t.suspended_at is not null or t.deleted_at is not null,
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

-- By what a name is found: the three letters at each of its places, and what is left at its end, each behind some of its session's id.
-- No query: that would be planned for each row when the table is analysed, since its length says how many rows it has.
create or replace function attache_name_grams(p_session uuid, p_folded text) returns tsvector language plpgsql immutable strict parallel safe as $$
declare behind text := right(p_session::text, 12); grams text[] := '{}';
begin
  for n in 1 .. length(p_folded) loop grams := grams || (behind || substr(p_folded, n, 3)); end loop;
  return array_to_tsvector(grams);
end $$;

-- What the grams of a name must match that holds a part: all of the part's, or where it has fewer than three letters one that begins with it.
create or replace function attache_grams_of_part(p_session uuid, p_part text) returns tsquery language sql immutable strict as $$
  select string_agg('''' || replace(replace(right(p_session::text, 12) || substr(p_part, n, 3), '\', '\\'), '''', '''''') || '''' || case when length(p_part) < 3 then ':*' else '' end,
      ' & ')::tsquery from generate_series(1, greatest(1, length(p_part) - 2)) n
$$;

-- Attachments of a session whose folded name holds this; null where there are more than `p_limit`. Inside a tenant. It reads as a role whose rows are all
-- of every tenant, since under a tenant's policy no index may answer what a name holds, and so says itself of which tenant.
create or replace function attache_find_named(p_session uuid, p_part text, p_limit int) returns uuid[] language plpgsql stable security definer
  set search_path = public, pg_temp set enable_seqscan = off as $$
declare found uuid[]; the_tenant uuid := (select attache_tenant_id()); grams tsquery := attache_grams_of_part(p_session, p_part);
begin
  if the_tenant is null then return '{}'; end if;
  found := array(select n.attachment_id from attachment_name n
    where attache_name_grams(n.session_id, n.folded_name) @@ grams and n.tenant_id = the_tenant and n.session_id = p_session and strpos(n.folded_name, p_part) > 0
    limit p_limit + 1);
  return case when cardinality(found) <= p_limit then found end;
end $$;

-- Attachments that are there, with all that the services know of them, in no particular order. Inside a tenant.
create or replace function attache_stored_attachments(p_ids uuid[]) returns jsonb language plpgsql stable as $$
declare found jsonb;
begin
  select coalesce(jsonb_agg(jsonb_build_object('row', to_jsonb(a), 'name', n.name, 'blobKey', b.key, 'variants', made.variants)), '[]'::jsonb) into found
    from attachment a
      join attachment_name n on n.tenant_id = a.tenant_id and n.attachment_id = a.id
      join blob b on b.tenant_id = a.tenant_id and b.id = a.blob_id
      cross join lateral (
        select coalesce(jsonb_agg(jsonb_build_object('row', to_jsonb(v), 'blobKey', vb.key) order by v.id), '[]'::jsonb) as variants
          from variant v join blob vb on vb.tenant_id = v.tenant_id and vb.id = v.blob_id
          where v.tenant_id = a.tenant_id and v.source_sha256 = a.sha256) made
    where a.tenant_id = (select attache_tenant_id()) and a.id = any(p_ids) and a.deleted_at is null;
  return found;
end $$;

-- Whether these attachments are there with the blob and in the status that they had. Inside a tenant.
create or replace function attache_are_unchanged(p_attachments jsonb) returns boolean language plpgsql stable as $$
-- By their ids alone: the tenant may have very many others.
declare ids uuid[] := array(select distinct (was->>'id')::uuid from jsonb_array_elements(p_attachments) was);
begin
  return cardinality(ids) = (select count(*) from attachment a join blob b on b.tenant_id = a.tenant_id and b.id = a.blob_id
    where a.tenant_id = (select attache_tenant_id()) and a.id = any(ids) and a.deleted_at is null
      and exists (select 1 from jsonb_array_elements(p_attachments) was
        where (was->>'id')::uuid = a.id and was->>'status' = a.status and was->>'blobKey' = b.key));
end $$;

create or replace function attache_read_attachments(p_tenant uuid, p_ids uuid[]) returns jsonb language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform attache_enter(p_tenant);
  return attache_stored_attachments(p_ids);
end $$;

-- Before the bytes: the gate, the idempotency key, the quota and a reserved blob row, in one round trip. A reservation has a holder; those of dead
-- holders are ended where one more finds no room.
create or replace function attache_reserve_upload(p jsonb) returns jsonb language plpgsql as $$
declare session_status text; once jsonb; wanted bigint := (p->>'reserveBytes')::bigint; refusal text;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  select s.status into session_status from session s
    where s.tenant_id = (select attache_tenant_id()) and s.id = (p->>'sessionId')::uuid and s.deleted_at is null;
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
  if refusal is not null and not coalesce((p->>'keepsPools')::boolean, false) and attache_end_pools() > 0 then refusal := attache_take_quota(wanted); end if;
  if refusal is not null then
    if p ? 'idempotency' then
      delete from idempotency where tenant_id = (select attache_tenant_id()) and route = p->'idempotency'->>'route'
        and session_id = (p->>'sessionId')::uuid and key = p->'idempotency'->>'key';
    end if;
    return jsonb_build_object('outcome', refusal);
  end if;
  insert into blob (tenant_id, id, key, store_id, state, reserved_bytes, holder)
    values (attache_tenant_id(), (p->>'blobId')::uuid, p->>'key', p->>'storeId', 'reserved', wanted, (p->>'holder')::uuid);
  return jsonb_build_object('outcome', 'reserved', 'urlGeneration', (select url_generation from tenant where tenant_id = (select attache_tenant_id())));
end $$;

-- After the bytes: blob live, attachment, idempotency, log events, in one round trip; not in a session that has ended meanwhile. The attachment is ready with
-- what was `found` of it as it came in, else pending with a message to the projector. Where the tenant has the same bytes already, the attachment uses those;
-- the blob that was written is deleted here, and its bytes can be removed at once.
create or replace function attache_record_attachment(p jsonb) returns jsonb language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  size bigint := (p->>'sizeBytes')::bigint; session_status text; written record; same record;
  the_blob uuid := (p->>'blobId')::uuid; added bigint := size; refusal text; last bigint;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  select status into session_status from session where tenant_id = (select attache_tenant_id()) and id = (p->>'sessionId')::uuid and deleted_at is null;
  if session_status is distinct from 'active' then return jsonb_build_object('outcome', 'session-ended'); end if;
  if p ? 'fence' and not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return jsonb_build_object('outcome', 'ownership-lost');
  end if;
  perform attache_lock_usage();
  select b.reserved_bytes, b.store_id, b.enc_key_id, b.state into written from blob b where b.tenant_id = (select attache_tenant_id()) and b.id = the_blob
    and (b.state = 'reserved' or b.state = 'condemned' and b.pooled and b.sha256 is null);
  if not found then return jsonb_build_object('outcome', 'reservation-lost'); end if;
  if written.state = 'condemned' then
    refusal := attache_reserve_again(the_blob, size);
    if refusal is not null then return jsonb_build_object('outcome', refusal); end if;
    written.reserved_bytes := size;
  end if;
  select b.id, b.state into same from blob b where b.tenant_id = (select attache_tenant_id()) and b.sha256 = p->>'sha256' and b.size_bytes = size
    and b.state in ('live', 'condemned') and b.store_id = written.store_id and b.enc_key_id = written.enc_key_id order by b.state desc, b.created_at, b.id limit 1;
  if same.id is null then
    update blob set state = 'live', size_bytes = size, sha256 = p->>'sha256' where tenant_id = (select attache_tenant_id()) and id = the_blob;
  else
    update blob set state = 'deleted', size_bytes = size where tenant_id = (select attache_tenant_id()) and id = the_blob;
    the_blob := same.id;
    if same.state = 'condemned' then
      update blob set state = 'live', condemned_at = null, confirmed_at = null where tenant_id = (select attache_tenant_id()) and id = the_blob;
    else
      added := 0;
    end if;
  end if;
  update tenant set reserved_bytes = greatest(0, reserved_bytes - written.reserved_bytes), used_bytes = used_bytes + added where tenant_id = (select attache_tenant_id());
  insert into attachment (tenant_id, id, session_id, blob_id, declared_mime_type, mime_type, kind, size_bytes, sha256, origin, source, uploaded_by, trace, created_at,
      status, facts, warnings, inspected_at)
    values (attache_tenant_id(), (p->>'attachmentId')::uuid, (p->>'sessionId')::uuid, the_blob, p->>'declaredMimeType', p->>'mimeType', p->>'kind',
            size, p->>'sha256', p->>'origin', p->>'source', p->>'uploadedBy', p->'trace', (p->>'createdAt')::timestamptz,
            case when p ? 'found' then 'ready' else 'pending' end, coalesce(p->'found'->'facts', '{}'::jsonb), coalesce(p->'found'->'warnings', '[]'::jsonb),
            case when p ? 'found' then now() end);
  insert into attachment_name (tenant_id, attachment_id, session_id, name, folded_name)
    values (attache_tenant_id(), (p->>'attachmentId')::uuid, (p->>'sessionId')::uuid, p->>'name', coalesce(p->>'foldedName', lower(p->>'name')));
  if p ? 'grantAgentId' then
    insert into access_grant (tenant_id, id, session_id, attachment_id, agent_id)
      values (attache_tenant_id(), (p->>'grantId')::uuid, (p->>'sessionId')::uuid, (p->>'attachmentId')::uuid, (p->>'grantAgentId')::uuid);
  end if;
  if not p ? 'found' then
    perform attache_put_message(jsonb_build_object('id', p->>'outboxId', 'subject', 'attachment.added', 'trace', p->'trace', 'fallbackMs', p->'fallbackMs',
      'data', jsonb_build_object('tenantId', p->>'tenantId', 'sessionId', p->>'sessionId', 'attachmentId', p->>'attachmentId')));
  end if;
  if p ? 'idempotency' then perform attache_close_idempotency(p->'idempotency'); end if;
  last := attache_append_as_caller((p->>'sessionId')::uuid, p->'events');
  return jsonb_build_object('outcome', 'recorded', 'blobId', the_blob, 'hadEnded', written.state = 'condemned', 'lastSeq', last, 'at', now()::timestamptz(3));
end $$;

-- An upload that did not end well gives back what it reserved, and frees its idempotency key where no other request holds it by now. True: the bytes
-- are nobody's, and may be removed, also of a reservation that ended before. The row stays.
create or replace function attache_abandon_upload(p jsonb) returns jsonb language plpgsql as $$
declare reserved bigint; is_left boolean;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  perform attache_lock_usage();
  -- Its bytes go now, so that a record which comes late must not find it as a key of a pool that it may have again.
  update blob set pooled = false where tenant_id = (select attache_tenant_id()) and id = (p->>'blobId')::uuid and state = 'condemned' and sha256 is null returning true into is_left;
  update blob set state = 'condemned', condemned_at = now(), pooled = false where tenant_id = (select attache_tenant_id()) and id = (p->>'blobId')::uuid and state = 'reserved'
    returning reserved_bytes into reserved;
  if reserved is not null then
    update tenant set reserved_bytes = greatest(0, reserved_bytes - reserved) where tenant_id = (select attache_tenant_id());
  end if;
  if p ? 'idempotency' then
    delete from idempotency where tenant_id = (select attache_tenant_id()) and route = p->'idempotency'->>'route'
      and session_id = (p->'idempotency'->>'sessionId')::uuid and key = p->'idempotency'->>'key' and state = 'in-progress'
      and ticket is not distinct from (p->'idempotency'->>'ticket')::uuid;
  end if;
  return to_jsonb(reserved is not null or coalesce(is_left, false));
end $$;

-- Settles a pending attachment, once for the event that asked for it. 'stale': it was settled or deleted before.
create or replace function attache_settle_inspection(p jsonb) returns jsonb language plpgsql set plan_cache_mode = force_generic_plan as $$
declare in_session uuid; last bigint; found jsonb := p->'inspection';
begin
  perform attache_enter((p->>'tenantId')::uuid);
  -- What a ring said is compared before anything is marked: the message comes once more where it was not so.
  if p ? 'seenKey' and not exists (select from attachment a join blob b on b.tenant_id = a.tenant_id and b.id = a.blob_id
      where a.tenant_id = (select attache_tenant_id()) and a.id = (p->>'attachmentId')::uuid and b.key = p->>'seenKey') then
    return to_jsonb('stale'::text);
  end if;
  if not attache_mark_handled((p->>'eventId')::uuid, p->>'consumer') then return to_jsonb('stale'::text); end if;
  update attachment set status = found->>'status', mime_type = found->>'mimeType', kind = found->>'kind', failure = found->'failure',
      facts = coalesce(found->'facts', facts), warnings = coalesce(found->'warnings', warnings), inspected_at = now()
    where tenant_id = (select attache_tenant_id()) and id = (p->>'attachmentId')::uuid and status = 'pending' and deleted_at is null returning session_id into in_session;
  if in_session is null then return to_jsonb('stale'::text); end if;
  if p ? 'lostKey' then perform attache_mark_bytes_lost(p->>'lostKey'); end if;
  -- What is done of the message is done with its effect.
  perform attache_settle_message((p->>'eventId')::uuid);
  last := attache_append_events(in_session, p->'events');
  -- A process of the release before compares the whole answer.
  if not p ? 'tellsSeq' then return to_jsonb('settled'::text); end if;
  -- The log rounds its times to milliseconds; what is told of it is rounded too, not cut off.
  return jsonb_build_object('lastSeq', last, 'at', now()::timestamptz(3));
end $$;

-- A blob for a variant, before its bytes are written, so that a killed process leaves nothing without an owner (W9).
create or replace function attache_reserve_variant(p jsonb) returns jsonb language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform attache_enter((p->>'tenantId')::uuid);
  insert into blob (tenant_id, id, key, store_id) values ((select attache_tenant_id()), (p->>'id')::uuid, p->>'key', p->>'storeId');
  return to_jsonb(true);
end $$;

-- Records a variant on its written blob, and returns it as it is recorded. Where another attempt was first, it is that one's, and this blob is condemned.
create or replace function attache_record_variant(p jsonb) returns jsonb language plpgsql set plan_cache_mode = force_generic_plan as $$
declare the_variant uuid := (p->>'id')::uuid; the_blob uuid := (p->>'blobId')::uuid; size bigint := (p->>'sizeBytes')::bigint; is_new boolean;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  perform attache_lock_usage();
  insert into variant (tenant_id, id, source_sha256, blob_id, purpose, recipe, mime_type, size_bytes, sha256, width, height, scale, page, warnings)
    values ((select attache_tenant_id()), the_variant, p->>'sourceSha256', the_blob, p->>'purpose', p->>'recipe', p->>'mimeType', size, p->>'sha256',
      (p->>'width')::int, (p->>'height')::int, (p->>'scale')::float8, (p->>'page')::int, p->'warnings')
    on conflict do nothing;
  is_new := found;
  update blob set state = case when is_new then 'live' else 'condemned' end, condemned_at = case when is_new then null else now() end, size_bytes = size,
      sha256 = case when is_new then p->>'sha256' end
    where tenant_id = (select attache_tenant_id()) and id = the_blob;
  if is_new then update tenant set used_bytes = used_bytes + size where tenant_id = (select attache_tenant_id()); end if;
  return jsonb_build_object('isNew', is_new, 'row', (select to_jsonb(v) from variant v where v.tenant_id = (select attache_tenant_id()) and v.id = the_variant));
end $$;

-- Adds pages of a document to those that cannot be drawn; what is said of a page now counts.
create or replace function attache_note_page_gaps(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter((p->>'tenantId')::uuid);
  update attachment a set facts = a.facts || jsonb_build_object('pageGaps', (
      select jsonb_agg(newest.gap order by (newest.gap->>'page')::int) from (
        select distinct on (gap->>'page') gap from jsonb_array_elements(coalesce(a.facts->'pageGaps', '[]'::jsonb) || (p->'gaps')) with ordinality g(gap, place)
          order by gap->>'page', place desc) newest))
    where a.tenant_id = (select attache_tenant_id()) and a.id = (p->>'attachmentId')::uuid;
  return to_jsonb(found);
end $$;

-- A job that waits, with the attachments that its plan names; null where it was done or given up.
create or replace function attache_read_projection(p_tenant uuid, p_job uuid) returns jsonb language plpgsql as $$
declare job projection_job%rowtype;
begin
  perform attache_enter(p_tenant);
  select * into job from projection_job where tenant_id = (select attache_tenant_id()) and id = p_job and state = 'waiting';
  if not found then return null; end if;
  return jsonb_build_object('row', to_jsonb(job));
end $$;

-- The end of a job, once. False: it was ended before, or given up.
create or replace function attache_settle_projection(p jsonb) returns jsonb language plpgsql as $$
declare settled boolean;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_mark_handled((p->>'eventId')::uuid, 'projector') then return to_jsonb(false); end if;
  update projection_job set state = p->>'state', parts = p->'parts', failure = p->'failure'
    where tenant_id = (select attache_tenant_id()) and id = (p->>'jobId')::uuid and state = 'waiting' returning true into settled;
  perform attache_settle_message((p->>'eventId')::uuid);
  return to_jsonb(coalesce(settled, false));
end $$;
