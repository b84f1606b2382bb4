-- What may enter the turn that an agent is in: the first of its deliveries that is not written yet, where it is prepared.
create function attache_read_steered(p_tenant uuid, p_agent uuid) returns jsonb language plpgsql as $$
declare d delivery%rowtype; the_agent agent%rowtype; session_status text;
begin
  perform attache_enter(p_tenant);
  select * into d from delivery where tenant_id = attache_tenant_id() and agent_id = p_agent and status in ('queued', 'prepared', 'claimed')
    order by message_seq, id limit 1;
  if not found or d.status <> 'prepared' then return null; end if;
  select * into the_agent from agent where tenant_id = attache_tenant_id() and id = p_agent;
  select status into session_status from session where tenant_id = attache_tenant_id() and id = d.session_id;
  return jsonb_build_object('row', to_jsonb(d), 'agent', to_jsonb(the_agent), 'sessionStatus', session_status,
    'probes', attache_newest_probes(array[the_agent.profile]), 'attachments', attache_stored_attachments(array(
      select attachment_id from message_attachment where tenant_id = attache_tenant_id() and message_id = d.message_id)));
end $$;
--> statement-breakpoint
-- Which of these attachments an agent may use now: of its tenant and session, there, and granted to it. One look for all ids of a call.
create function attache_permitted(p_tenant uuid, p_session uuid, p_agent uuid, p_ids uuid[]) returns jsonb language plpgsql as $$
declare found jsonb;
begin
  perform attache_enter(p_tenant);
  select coalesce(jsonb_agg(distinct a.id), '[]'::jsonb) into found
    from attachment a join access_grant g on g.tenant_id = a.tenant_id and g.attachment_id = a.id
    where a.tenant_id = attache_tenant_id() and a.id = any(p_ids) and a.session_id = p_session and a.deleted_at is null
      and g.agent_id = p_agent and g.revoked_at is null and (g.expires_at is null or g.expires_at > now());
  return found;
end $$;
