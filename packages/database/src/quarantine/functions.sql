-- In plpgsql, as all functions that a hot statement calls: it keeps its plan, where Postgres before 18 plans the statement of an SQL function at each call.
-- What the program of an agent may not send again to the model that it has. What was set aside counts in its conversation alone. Inside a tenant.
create or replace function attache_quarantined(p_agent agent) returns jsonb language plpgsql stable as $$
begin
  return (select coalesce(jsonb_agg(jsonb_build_object('wireSha256', q.wire_sha256, 'code', q.code, 'isGroup', q.is_group, 'attachmentId', q.attachment_id, 'occurrences', q.occurrences)
      order by q.wire_sha256), '[]'::jsonb)
    from quarantine q where q.tenant_id = (select attache_tenant_id()) and q.agent_id = p_agent.id and q.target_version = p_agent.target_version
      and (q.occurrences is null or p_agent.context_since is null or q.created_at >= p_agent.context_since));
end $$;

-- Files of a session that models refused, with the targets of the agents whose models they were. Inside a tenant.
create or replace function attache_refused_files(p_session uuid) returns jsonb language plpgsql stable as $$
begin
  return (select coalesce(jsonb_agg(distinct jsonb_build_object('attachmentId', q.attachment_id, 'sha256', f.sha256,
      'target', jsonb_build_object('profile', a.profile, 'runtime', a.runtime, 'provider', a.provider, 'model', a.model))), '[]'::jsonb)
    from quarantine q
      join agent a on a.tenant_id = q.tenant_id and a.id = q.agent_id and a.target_version = q.target_version
      join attachment f on f.tenant_id = q.tenant_id and f.id = q.attachment_id
    where q.tenant_id = (select attache_tenant_id()) and q.session_id = p_session and q.occurrences is null);
end $$;
