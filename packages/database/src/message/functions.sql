-- What a message names, to plan it. Null where there is no such session. What an agent holds counts only beside attachments. Inside a tenant.
create or replace function attache_named(p jsonb) returns jsonb language plpgsql as $$
declare in_session uuid := (p->>'sessionId')::uuid; the_session jsonb; agents jsonb; profiles text[]; ids uuid[]; overrides jsonb; resident jsonb := '{}'::jsonb; refused jsonb := '[]'::jsonb;
begin
  select to_jsonb(s) into the_session from session s where s.tenant_id = (select attache_tenant_id()) and s.id = in_session and s.deleted_at is null;
  if the_session is null then return null; end if;
  select coalesce(jsonb_agg(to_jsonb(a)), '[]'::jsonb), coalesce(array_agg(distinct a.profile), '{}'), coalesce(array_agg(a.id), '{}') into agents, profiles, ids from agent a
    where a.tenant_id = (select attache_tenant_id()) and a.session_id = in_session and a.removed_at is null
      and a.id in (select jsonb_array_elements_text(p->'agentIds')::uuid);
  if jsonb_array_length(p->'attachmentIds') > 0 then
    resident := attache_resident(ids);
    refused := attache_refused_files(in_session);
  end if;
  select coalesce(jsonb_agg(to_jsonb(o)), '[]'::jsonb) into overrides from capability_override o where o.tenant_id = (select attache_tenant_id()) and o.profile = any(profiles);
  return jsonb_build_object('session', the_session, 'agents', agents, 'probes', attache_newest_probes(profiles), 'overrides', overrides, 'contradictions', attache_contradictions(),
    'resident', resident, 'refused', refused, 'tokens', attache_day_tokens((now() at time zone 'utc')::date), 'owner', attache_live_owner(in_session::text),
    'attachments', attache_stored_attachments(array(select jsonb_array_elements_text(p->'attachmentIds')::uuid)));
end $$;

create or replace function attache_read_named(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter((p->>'tenantId')::uuid);
  return attache_named(p);
end $$;

-- Those deliveries of a message that are prepared and the first in the line of their agent, by id: the rows of both, and what was refused of the agent. Inside a
-- tenant.
create or replace function attache_heads_of_message(p_message uuid) returns jsonb language plpgsql as $$
begin
  return (select jsonb_object_agg(d.id, jsonb_build_object('row', to_jsonb(d), 'agent', to_jsonb(a), 'quarantined', attache_quarantined(a)))
    from delivery d join agent a on a.tenant_id = d.tenant_id and a.id = d.agent_id
    where d.tenant_id = (select attache_tenant_id()) and d.message_id = p_message and d.status = 'prepared'
      and not exists (select 1 from delivery e where e.tenant_id = d.tenant_id and e.agent_id = d.agent_id and e.status in ('queued', 'prepared', 'claimed', 'written')
        and (e.message_seq, e.id) < (d.message_seq, d.id)));
end $$;

-- Accepts a message: everything that was checked before is checked again here, in the transaction that makes it true. Not in a session that has ended
-- meanwhile, nor for an agent that is gone or has another target than the plan is for. A delivery with `prepare`, its move to `prepared`, has its parts already: these
-- count where the attachments are those that they were composed of. Where its living owner is rung for, `heads` is what its agents may take at once.
create or replace function attache_accept_message(p jsonb) returns jsonb language plpgsql set plan_cache_mode = force_generic_plan as $$
declare tenant uuid := (p->>'tenantId')::uuid; in_session uuid := (p->>'sessionId')::uuid; the_message uuid := (p->>'messageId')::uuid;
  last bigint; first_seq bigint; targets jsonb; the_session session%rowtype; owner uuid; heads jsonb;
begin
  perform attache_enter(tenant);
  select * into the_session from session where tenant_id = tenant and id = in_session and status = 'active' and deleted_at is null;
  if not found then return jsonb_build_object('outcome', 'session-ended'); end if;
  if the_session.parked_at is not null then return jsonb_build_object('outcome', 'session-parked'); end if;
  -- Until the commit no agent is removed or given another target. Its deliveries change what it holds: who only shared the row would wait for others who do.
  select coalesce(jsonb_object_agg(here.id, here.target_version), '{}'::jsonb) into targets from (
    select a.id, a.target_version from agent a
      where a.tenant_id = tenant and a.session_id = in_session and a.removed_at is null
        and a.id in (select (d->>'agentId')::uuid from jsonb_array_elements(p->'deliveries') d)
      order by a.id for no key update) here;
  if exists (select 1 from jsonb_array_elements(p->'deliveries') d where not targets ? (d->>'agentId')) then
    return jsonb_build_object('outcome', 'agent-gone');
  end if;
  if exists (select 1 from jsonb_array_elements(p->'deliveries') d where targets->(d->>'agentId') <> d->'targetVersion') then
    return jsonb_build_object('outcome', 'target-changed');
  end if;
  -- Under the locks of the agents. Each message has a seq of its own, so that a line that began after so many cannot be full, and is not counted.
  if p ? 'maxWaiting' and exists (select 1 from jsonb_array_elements(p->'deliveries') d where
      case when coalesce(the_session.last_seq - (select w.message_seq from delivery w where w.tenant_id = tenant and w.agent_id = (d->>'agentId')::uuid
          and w.status in ('queued', 'prepared', 'claimed', 'written') order by w.message_seq, w.id limit 1), 0) + 1 < (p->>'maxWaiting')::int then false
      else (p->>'maxWaiting')::int <= (select count(*) from (
          select 1 from delivery w where w.tenant_id = tenant and w.agent_id = (d->>'agentId')::uuid and w.status in ('queued', 'prepared', 'claimed', 'written')
            limit (p->>'maxWaiting')::int) waiting) end) then
    return jsonb_build_object('outcome', 'line-full');
  end if;
  -- By their ids alone: the session may have very many others.
  if (select count(*) filter (where a.session_id = in_session and a.deleted_at is null) from attachment a
        where a.tenant_id = tenant and a.id = any(array(select jsonb_array_elements_text(p->'attachmentIds')::uuid)))
      < (select count(distinct named::uuid) from jsonb_array_elements_text(p->'attachmentIds') named) then
    return jsonb_build_object('outcome', 'attachment-gone');
  end if;
  if p ? 'composedOf' and not attache_are_unchanged(p->'composedOf') then return jsonb_build_object('outcome', 'attachment-changed'); end if;
  insert into message (tenant_id, id, session_id, sender, created_at)
    values (tenant, the_message, in_session, p->'sender', (p->>'createdAt')::timestamptz);
  insert into message_text (tenant_id, message_id, text) values (tenant, the_message, p->>'text');
  insert into message_attachment (tenant_id, message_id, position, attachment_id)
    select tenant, the_message, n.position, n.value::uuid from jsonb_array_elements_text(p->'attachmentIds') with ordinality as n(value, position);
  insert into access_grant (tenant_id, id, session_id, attachment_id, agent_id, message_id)
    select tenant, (g->>'id')::uuid, in_session, (g->>'attachmentId')::uuid, (g->>'agentId')::uuid, the_message from jsonb_array_elements(p->'grants') g;
  perform attache_put_message(jsonb_build_object('id', d->>'outboxId', 'subject', 'delivery.queued', 'trace', p->'trace', 'fallbackMs', p->'fallbackMs',
    'data', jsonb_build_object('tenantId', tenant, 'sessionId', in_session, 'deliveryId', d->>'id'))) from jsonb_array_elements(p->'deliveries') d where not d ? 'prepare';
  if p ? 'idempotency' then perform attache_close_idempotency(p->'idempotency'); end if;
  last := attache_append_as_caller(in_session, p->'events');
  first_seq := last - jsonb_array_length(p->'events') + 1;
  insert into delivery (tenant_id, id, session_id, message_id, agent_id, message_seq, plan, target_version, trace, trace_id, status, parts)
    select tenant, (d->>'id')::uuid, in_session, the_message, (d->>'agentId')::uuid, first_seq, d->'plan', (targets->>(d->>'agentId'))::int, p->'trace', p->>'traceId',
        case when d ? 'prepare' then 'prepared' else 'queued' end, d->'prepare'->'set'->'parts'
      from jsonb_array_elements(p->'deliveries') d;
  insert into delivery_transition (tenant_id, delivery_id, position, status, actor, attempt, trace_id)
    select tenant, (d->>'id')::uuid, 1, 'queued', p->'sender', 1, p->>'traceId' from jsonb_array_elements(p->'deliveries') d
    union all
    select tenant, (d->>'id')::uuid, 2, 'prepared', d->'prepare'->'actor', 1, d->'prepare'->>'traceId' from jsonb_array_elements(p->'deliveries') d where d ? 'prepare';
  perform attache_put_messages_of(d->'prepare') from jsonb_array_elements(p->'deliveries') d where d ? 'prepare';
  owner := attache_live_owner(in_session::text);
  if owner is not null and (p->>'fallbackMs')::numeric > 0 then heads := attache_heads_of_message(the_message); end if;
  return jsonb_build_object('outcome', 'accepted', 'seq', first_seq, 'at', now()::timestamptz(3), 'owner', owner, 'heads', heads);
end $$;
