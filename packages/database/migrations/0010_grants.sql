-- Which of these attachments (uuids), of those that are there, an agent may not read now, in the order of their ids. Inside a tenant.
create function attache_not_granted(p_agent uuid, p_ids uuid[]) returns uuid[] language plpgsql stable as $$
begin
  return array(select a.id from attachment a
    where a.tenant_id = attache_tenant_id() and a.id = any(p_ids) and a.deleted_at is null and not exists (
      select 1 from access_grant g where g.tenant_id = a.tenant_id and g.agent_id = p_agent and g.attachment_id = a.id
        and g.revoked_at is null and (g.expires_at is null or g.expires_at > now()))
    order by a.id);
end $$;
--> statement-breakpoint
-- A delivery that an agent is to get, with all that is needed to bring it. Inside a tenant.
create function attache_describe_next(d delivery) returns jsonb language plpgsql as $$
declare the_agent agent%rowtype; session_status text; named uuid[];
begin
  select * into the_agent from agent where tenant_id = attache_tenant_id() and id = d.agent_id;
  select status into session_status from session where tenant_id = attache_tenant_id() and id = d.session_id;
  named := array(select attachment_id from message_attachment where tenant_id = attache_tenant_id() and message_id = d.message_id);
  return jsonb_build_object('row', to_jsonb(d), 'agent', to_jsonb(the_agent), 'sessionStatus', session_status,
    'probes', attache_newest_probes(array[the_agent.profile]), 'attachments', attache_stored_attachments(named),
    'notGranted', to_jsonb(attache_not_granted(d.agent_id, named)));
end $$;
--> statement-breakpoint
-- As before; and says what of it the agent may not read any more.
create or replace function attache_read_head(p_tenant uuid, p_agent uuid) returns jsonb language plpgsql as $$
declare d delivery%rowtype;
begin
  perform attache_enter(p_tenant);
  select * into d from delivery where tenant_id = attache_tenant_id() and agent_id = p_agent and status in ('queued', 'prepared', 'claimed', 'written')
    order by message_seq, id limit 1;
  if not found or d.status <> 'prepared' then return null; end if;
  return attache_describe_next(d);
end $$;
--> statement-breakpoint
-- The same.
create or replace function attache_read_steered(p_tenant uuid, p_agent uuid) returns jsonb language plpgsql as $$
declare d delivery%rowtype;
begin
  perform attache_enter(p_tenant);
  select * into d from delivery where tenant_id = attache_tenant_id() and agent_id = p_agent and status in ('queued', 'prepared', 'claimed')
    order by message_seq, id limit 1;
  if not found or d.status <> 'prepared' then return null; end if;
  return attache_describe_next(d);
end $$;
--> statement-breakpoint
-- As before; and nothing is written of an attachment whose grant ended until now.
create or replace function attache_mark_writing(p jsonb) returns jsonb language plpgsql as $$
declare marked boolean; named uuid[]; gone uuid; withheld uuid;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return jsonb_build_object('outcome', 'ownership-lost');
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
    where tenant_id = attache_tenant_id() and id = (p->>'deliveryId')::uuid and status = 'claimed' and attempts = (p->>'attempts')::int
      and epoch = (p->'fence'->>'epoch')::bigint
    returning true into marked;
  return jsonb_build_object('outcome', case when marked then 'marked' else 'stale' end);
end $$;
