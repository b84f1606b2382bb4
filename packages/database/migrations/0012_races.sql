ALTER TABLE "agent" ADD COLUMN "target_version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "delivery" ADD COLUMN "target_version" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
-- Locks are taken in one order: owner of the session, its deliveries, its agents, whatever else, and the session itself by the append, which
-- comes last. Of several rows of one table in the order of their ids, deliveries in that of their messages.

-- Holds a session as active until the transaction ends. Nothing that a caller asked for comes after `session.ended`.
create function attache_hold_active(p_session uuid) returns void language plpgsql as $$
begin
  perform 1 from session where tenant_id = attache_tenant_id() and id = p_session and status = 'active' and deleted_at is null for no key update;
  if not found then raise exception 'attache: the session has ended' using errcode = 'AT001'; end if;
end $$;
--> statement-breakpoint
-- Appends what a caller asked for. What the system itself has to say is still appended to a session that has ended.
create function attache_append_as_caller(p_session uuid, p_events jsonb) returns bigint language plpgsql as $$
begin
  perform attache_hold_active(p_session);
  return attache_append_events(p_session, p_events);
end $$;
--> statement-breakpoint
-- As before; not in a session that has ended meanwhile, nor for an agent that is gone or has another target than the plan is for.
create or replace function attache_accept_message(p jsonb) returns jsonb language plpgsql as $$
declare tenant uuid := (p->>'tenantId')::uuid; in_session uuid := (p->>'sessionId')::uuid; the_message uuid := (p->>'messageId')::uuid;
  last bigint; first_seq bigint; targets jsonb;
begin
  perform attache_enter(tenant);
  if not exists (select 1 from session where tenant_id = tenant and id = in_session and status = 'active' and deleted_at is null) then
    return jsonb_build_object('outcome', 'session-ended');
  end if;
  -- Until the commit no agent is removed or given another target.
  select coalesce(jsonb_object_agg(here.id, here.target_version), '{}'::jsonb) into targets from (
    select a.id, a.target_version from agent a
      where a.tenant_id = tenant and a.session_id = in_session and a.removed_at is null
        and a.id in (select (d->>'agentId')::uuid from jsonb_array_elements(p->'deliveries') d)
      order by a.id for share) here;
  if exists (select 1 from jsonb_array_elements(p->'deliveries') d where not targets ? (d->>'agentId')) then
    return jsonb_build_object('outcome', 'agent-gone');
  end if;
  if exists (select 1 from jsonb_array_elements(p->'deliveries') d where targets->(d->>'agentId') <> d->'targetVersion') then
    return jsonb_build_object('outcome', 'target-changed');
  end if;
  if exists (select 1 from jsonb_array_elements_text(p->'attachmentIds') named left join attachment a
      on a.tenant_id = tenant and a.id = named::uuid and a.session_id = in_session and a.deleted_at is null where a.id is null) then
    return jsonb_build_object('outcome', 'attachment-gone');
  end if;
  insert into message (tenant_id, id, session_id, sender, created_at)
    values (tenant, the_message, in_session, p->'sender', (p->>'createdAt')::timestamptz);
  insert into message_text (tenant_id, message_id, text) values (tenant, the_message, p->>'text');
  insert into message_attachment (tenant_id, message_id, position, attachment_id)
    select tenant, the_message, n.position, n.value::uuid from jsonb_array_elements_text(p->'attachmentIds') with ordinality as n(value, position);
  insert into access_grant (tenant_id, id, session_id, attachment_id, agent_id, message_id)
    select tenant, (g->>'id')::uuid, in_session, (g->>'attachmentId')::uuid, (g->>'agentId')::uuid, the_message from jsonb_array_elements(p->'grants') g;
  insert into outbox (tenant_id, id, subject, data, trace)
    select tenant, (d->>'outboxId')::uuid, 'delivery.queued',
      jsonb_build_object('tenantId', tenant, 'sessionId', in_session, 'deliveryId', d->>'id'), p->'trace' from jsonb_array_elements(p->'deliveries') d;
  if p ? 'idempotency' then perform attache_close_idempotency(p->'idempotency'); end if;
  last := attache_append_as_caller(in_session, p->'events');
  first_seq := last - jsonb_array_length(p->'events') + 1;
  insert into delivery (tenant_id, id, session_id, message_id, agent_id, message_seq, plan, target_version, trace, trace_id)
    select tenant, (d->>'id')::uuid, in_session, the_message, (d->>'agentId')::uuid, first_seq, d->'plan', (targets->>(d->>'agentId'))::int, p->'trace', p->>'traceId'
      from jsonb_array_elements(p->'deliveries') d;
  insert into delivery_transition (tenant_id, delivery_id, position, status, actor, attempt, trace_id)
    select tenant, (d->>'id')::uuid, 1, 'queued', p->'sender', 1, p->>'traceId' from jsonb_array_elements(p->'deliveries') d;
  return jsonb_build_object('outcome', 'accepted', 'seq', first_seq);
end $$;
--> statement-breakpoint
-- As before; not in a session that has ended meanwhile.
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
  perform attache_append_as_caller((p->>'sessionId')::uuid, p->'events');
  return jsonb_build_object('outcome', 'recorded', 'blobId', the_blob);
end $$;
--> statement-breakpoint
-- As before; and nothing that was planned for another target than that of the process that takes it. `status` is 'written' for one that was
-- written into a turn which would not have it, and is written again.
create or replace function attache_mark_writing(p jsonb) returns jsonb language plpgsql as $$
declare marked boolean; named uuid[]; gone uuid; withheld uuid;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return jsonb_build_object('outcome', 'ownership-lost');
  end if;
  if exists (select 1 from delivery d where d.tenant_id = attache_tenant_id() and d.id = (p->>'deliveryId')::uuid
      and d.target_version <> (p->>'targetVersion')::int) then
    return jsonb_build_object('outcome', 'target-changed');
  end if;
  if jsonb_array_length(p->'attachmentIds') > 0 then
    named := array(select jsonb_array_elements_text(p->'attachmentIds')::uuid);
    select n.id into gone from unnest(named) as n(id)
      where not exists (select 1 from attachment a where a.tenant_id = attache_tenant_id() and a.id = n.id and a.deleted_at is null) limit 1;
    if gone is not null then return jsonb_build_object('outcome', 'attachment-gone', 'attachmentId', gone); end if;
    select (attache_not_granted(d.agent_id, named))[1] into withheld from delivery d
      where d.tenant_id = attache_tenant_id() and d.id = (p->>'deliveryId')::uuid;
    if withheld is not null then return jsonb_build_object('outcome', 'not-granted', 'attachmentId', withheld); end if;
  end if;
  update delivery set writing_at = coalesce(writing_at, now())
    where tenant_id = attache_tenant_id() and id = (p->>'deliveryId')::uuid and status = coalesce(p->>'status', 'claimed') and attempts = (p->>'attempts')::int
      and epoch = (p->'fence'->>'epoch')::bigint
    returning true into marked;
  return jsonb_build_object('outcome', case when marked then 'marked' else 'stale' end);
end $$;
