-- Reads of a tenant that a delivery needs, and its writes that took several statements: each in one round trip. Rows are given as they
-- stand in their tables; the code that asks knows the columns.

-- An agent's line: deliveries that have not come to their end. A long session has many more that have.
create index delivery_line on delivery (tenant_id, agent_id, message_seq, id) where status in ('queued', 'prepared', 'claimed', 'written');
--> statement-breakpoint
-- Attachments that are there, with all that the services know of them, in no particular order. Inside a tenant.
create function attache_stored_attachments(p_ids uuid[]) returns jsonb language plpgsql stable as $$
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
    where a.tenant_id = attache_tenant_id() and a.id = any(p_ids) and a.deleted_at is null;
  return found;
end $$;
--> statement-breakpoint
create function attache_read_attachments(p_tenant uuid, p_ids uuid[]) returns jsonb language plpgsql as $$
begin
  perform attache_enter(p_tenant);
  return attache_stored_attachments(p_ids);
end $$;
--> statement-breakpoint
-- The newest declaration of each of these profiles.
create function attache_newest_probes(p_profiles text[]) returns jsonb language plpgsql stable as $$
declare found jsonb;
begin
  select coalesce(jsonb_object_agg(newest.profile, newest.declared), '{}'::jsonb) into found
    from (select distinct on (profile) profile, declared from profile_probe where profile = any(p_profiles) order by profile, probed_at desc) newest;
  return found;
end $$;
--> statement-breakpoint
-- The planner takes a list of unknown length for long, and would plan anew each time.
alter function attache_newest_probes(text[]) set plan_cache_mode = 'force_generic_plan';
--> statement-breakpoint
-- What a message names, to plan it. Null where there is no such session.
create function attache_read_named(p jsonb) returns jsonb language plpgsql as $$
declare in_session uuid := (p->>'sessionId')::uuid; the_session jsonb; agents jsonb; profiles text[];
begin
  perform attache_enter((p->>'tenantId')::uuid);
  select to_jsonb(s) into the_session from session s where s.tenant_id = attache_tenant_id() and s.id = in_session and s.deleted_at is null;
  if the_session is null then return null; end if;
  select coalesce(jsonb_agg(to_jsonb(a)), '[]'::jsonb), coalesce(array_agg(distinct a.profile), '{}') into agents, profiles from agent a
    where a.tenant_id = attache_tenant_id() and a.session_id = in_session and a.removed_at is null
      and a.id in (select jsonb_array_elements_text(p->'agentIds')::uuid);
  return jsonb_build_object('session', the_session, 'agents', agents, 'probes', attache_newest_probes(profiles),
    'attachments', attache_stored_attachments(array(select jsonb_array_elements_text(p->'attachmentIds')::uuid)));
end $$;
--> statement-breakpoint
-- A queued delivery with what its message says and names; null where it is no longer queued. `text` is null where it was erased.
create function attache_read_draft(p_tenant uuid, p_delivery uuid) returns jsonb language plpgsql as $$
declare d delivery%rowtype; said text;
begin
  perform attache_enter(p_tenant);
  select * into d from delivery where tenant_id = attache_tenant_id() and id = p_delivery and status = 'queued';
  if not found then return null; end if;
  select text into said from message_text where tenant_id = attache_tenant_id() and message_id = d.message_id;
  return jsonb_build_object('row', to_jsonb(d), 'text', said, 'attachments', attache_stored_attachments(array(
    select attachment_id from message_attachment where tenant_id = attache_tenant_id() and message_id = d.message_id)));
end $$;
--> statement-breakpoint
-- The first delivery in an agent's line that has not come to its end, with all that is needed to bring it; null where it is not `prepared`.
create function attache_read_head(p_tenant uuid, p_agent uuid) returns jsonb language plpgsql as $$
declare d delivery%rowtype; the_agent agent%rowtype; session_status text;
begin
  perform attache_enter(p_tenant);
  select * into d from delivery where tenant_id = attache_tenant_id() and agent_id = p_agent and status in ('queued', 'prepared', 'claimed', 'written')
    order by message_seq, id limit 1;
  if not found or d.status <> 'prepared' then return null; end if;
  select * into the_agent from agent where tenant_id = attache_tenant_id() and id = p_agent;
  select status into session_status from session where tenant_id = attache_tenant_id() and id = d.session_id;
  return jsonb_build_object('row', to_jsonb(d), 'agent', to_jsonb(the_agent), 'sessionStatus', session_status,
    'probes', attache_newest_probes(array[the_agent.profile]), 'attachments', attache_stored_attachments(array(
      select attachment_id from message_attachment where tenant_id = attache_tenant_id() and message_id = d.message_id)));
end $$;
--> statement-breakpoint
create function attache_read_events(p jsonb) returns jsonb language plpgsql as $$
declare found jsonb;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  select coalesce(jsonb_agg(to_jsonb(e) order by e.seq), '[]'::jsonb) into found from (
    select * from session_log where tenant_id = attache_tenant_id() and session_id = (p->>'sessionId')::uuid and seq > (p->>'afterSeq')::bigint
      order by seq limit (p->>'limit')::int) e;
  return found;
end $$;
--> statement-breakpoint
create function attache_open_once(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter((p->>'tenantId')::uuid);
  return attache_open_idempotency(p);
end $$;
--> statement-breakpoint
-- Takes a blob out of use whose bytes the store no longer has, so that the next upload of the same bytes brings them back. Inside a tenant.
create function attache_mark_bytes_lost(p_key text) returns void language plpgsql as $$
declare size bigint;
begin
  perform attache_lock_usage();
  update blob set state = 'deleted', deleted_at = now() where tenant_id = attache_tenant_id() and key = p_key and state = 'live'
    returning coalesce(size_bytes, 0) into size;
  if size is null then return; end if;
  update tenant set used_bytes = greatest(0, used_bytes - size) where tenant_id = attache_tenant_id();
end $$;
--> statement-breakpoint
-- Settles a pending attachment, once for the event that asked for it. 'stale': it was settled or deleted before.
create function attache_settle_inspection(p jsonb) returns jsonb language plpgsql as $$
declare in_session uuid; found jsonb := p->'inspection';
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_mark_handled((p->>'eventId')::uuid, p->>'consumer') then return to_jsonb('stale'::text); end if;
  update attachment set status = found->>'status', mime_type = found->>'mimeType', kind = found->>'kind', failure = found->'failure',
      facts = coalesce(found->'facts', facts), warnings = coalesce(found->'warnings', warnings), inspected_at = now()
    where tenant_id = attache_tenant_id() and id = (p->>'attachmentId')::uuid and status = 'pending' and deleted_at is null returning session_id into in_session;
  if in_session is null then return to_jsonb('stale'::text); end if;
  if p ? 'lostKey' then perform attache_mark_bytes_lost(p->>'lostKey'); end if;
  perform attache_append_events(in_session, p->'events');
  return to_jsonb('settled'::text);
end $$;
--> statement-breakpoint
-- Appends events while this incarnation owns the session. Asked again after a lost answer it changes nothing and says the same (W4).
create function attache_append_as_owner(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return to_jsonb('ownership-lost'::text);
  end if;
  if (p->>'isRepeated')::boolean and exists (select 1 from session_log where tenant_id = attache_tenant_id()
      and session_id = (p->>'sessionId')::uuid and id = (p->'events'->0->>'id')::uuid) then
    return to_jsonb('appended'::text);
  end if;
  perform attache_append_events((p->>'sessionId')::uuid, p->'events');
  return to_jsonb('appended'::text);
end $$;
--> statement-breakpoint
-- As before; what it tells the gateway names the agent, and an agent's status may depend on what it was.
create or replace function attache_step_delivery(p jsonb) returns jsonb language plpgsql as $$
declare the_delivery uuid := (p->>'deliveryId')::uuid; moved boolean; is_repeated boolean;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if p ? 'fence' and not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return jsonb_build_object('outcome', 'ownership-lost');
  end if;
  if p ? 'handled' and not attache_mark_handled((p->'handled'->>'eventId')::uuid, p->'handled'->>'consumer') then
    return jsonb_build_object('outcome', 'stale');
  end if;
  update delivery set status = p->>'to', parts = coalesce(p->'parts', parts), receipt = coalesce(p->'receipt', receipt),
      epoch = coalesce((p->'fence'->>'epoch')::bigint, epoch), writing_at = case when p->>'to' = 'claimed' then null else writing_at end
    where tenant_id = attache_tenant_id() and id = the_delivery and status = p->>'from' and attempts = (p->>'attempts')::int
    returning true into moved;
  if moved is null then
    select true into is_repeated from delivery where tenant_id = attache_tenant_id() and id = the_delivery and status = p->>'to'
      and attempts = (p->>'attempts')::int and p ? 'fence' and epoch = (p->'fence'->>'epoch')::bigint;
    return jsonb_build_object('outcome', case when is_repeated then 'moved' else 'stale' end);
  end if;
  insert into delivery_transition (tenant_id, delivery_id, position, status, actor, epoch, attempt, trace_id)
    select attache_tenant_id(), the_delivery, coalesce(max(position), 0) + 1, p->>'to', p->'actor', (p->'fence'->>'epoch')::bigint, (p->>'attempts')::int, p->>'traceId'
      from delivery_transition where tenant_id = attache_tenant_id() and delivery_id = the_delivery;
  if p ? 'agentStatus' then
    update agent set status = p->>'agentStatus' where tenant_id = attache_tenant_id() and id = (p->>'agentId')::uuid
      and (p->>'agentWas' is null or status = p->>'agentWas');
  end if;
  if p ? 'outbox' then
    insert into outbox (tenant_id, id, subject, data, trace)
      values (attache_tenant_id(), (p->'outbox'->>'id')::uuid, p->'outbox'->>'subject',
              jsonb_build_object('tenantId', p->>'tenantId', 'sessionId', p->>'sessionId', 'deliveryId', p->>'deliveryId', 'agentId', p->>'agentId'),
              p->'outbox'->'trace');
  end if;
  perform attache_append_events((p->>'sessionId')::uuid, p->'events');
  return jsonb_build_object('outcome', 'moved');
end $$;
--> statement-breakpoint
-- As before; and nothing is written of an attachment that was deleted until now.
create or replace function attache_mark_writing(p jsonb) returns jsonb language plpgsql as $$
declare marked boolean; gone uuid;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return jsonb_build_object('outcome', 'ownership-lost');
  end if;
  select named.id into gone from (select jsonb_array_elements_text(p->'attachmentIds')::uuid as id) named
    where not exists (select 1 from attachment a where a.tenant_id = attache_tenant_id() and a.id = named.id and a.deleted_at is null) limit 1;
  if gone is not null then return jsonb_build_object('outcome', 'attachment-gone', 'attachmentId', gone); end if;
  update delivery set writing_at = coalesce(writing_at, now())
    where tenant_id = attache_tenant_id() and id = (p->>'deliveryId')::uuid and status = 'claimed' and attempts = (p->>'attempts')::int
      and epoch = (p->'fence'->>'epoch')::bigint
    returning true into marked;
  return jsonb_build_object('outcome', case when marked then 'marked' else 'stale' end);
end $$;
--> statement-breakpoint
alter function attache_relay_claim(jsonb) rename to attache_relay_claim_many;
--> statement-breakpoint
-- As before. As a rule few messages wait, all of which are claimed: that needs no turns, and a fraction of the plan.
create function attache_relay_claim(p jsonb) returns jsonb language plpgsql as $$
declare tenants uuid[]; ids uuid[]; subjects text[]; room int := (p->>'windowPerTenant')::int; left_over int := (p->>'limit')::int;
  free int; taken jsonb; claimed jsonb := '[]'; held boolean := false; setting text;
begin
  perform attache_enter_worker();
  -- The partial indexes hold what waits and what is out; the table also holds what is done.
  setting := set_config('enable_seqscan', 'off', true);
  setting := set_config('plan_cache_mode', 'force_generic_plan', true);
  select array_agg(w.tenant_id order by w.created_at, w.id), array_agg(w.id order by w.created_at, w.id), array_agg(w.subject order by w.created_at, w.id)
    into tenants, ids, subjects from (
      select o.tenant_id, o.id, o.subject, o.created_at from outbox o
        where o.state = 'waiting' and o.subject in (select jsonb_array_elements_text(p->'subjects'))
          and o.available_at <= now() + interval '1 millisecond' and (o.claimed_until is null or o.claimed_until < now())
        limit 9) w;
  if cardinality(ids) > 8 then return attache_relay_claim_many(p); end if;
  -- What is claimed or published twice has one message id (W6): nothing here waits for the disk.
  setting := set_config('synchronous_commit', 'off', true);
  for i in 1 .. coalesce(cardinality(ids), 0) loop
    exit when left_over = 0;
    select room - count(*) into free from (
      select 1 from outbox o where o.state = 'published' and o.tenant_id = tenants[i] and o.subject = subjects[i] limit room) published;
    select free - count(*) into free from (
      select 1 from outbox o where o.state = 'waiting' and o.tenant_id = tenants[i] and o.subject = subjects[i] and o.claimed_until >= now() limit room) under_way;
    held := held or free <= 1;
    continue when free <= 0;
    update outbox o set claimed_until = now() + make_interval(secs => (p->>'leaseMs')::int / 1000.0)
      where o.tenant_id = tenants[i] and o.id = ids[i] and o.state = 'waiting' and (o.claimed_until is null or o.claimed_until < now())
      returning jsonb_build_object('tenantId', o.tenant_id, 'id', o.id, 'subject', o.subject, 'data', o.data, 'trace', o.trace, 'emission', o.emission)
      into taken;
    if taken is not null then
      claimed := claimed || taken;
      left_over := left_over - 1;
    end if;
  end loop;
  return jsonb_build_object('messages', claimed, 'isHeld', held);
end $$;
