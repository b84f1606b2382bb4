-- Which of these attachments (uuids), of those that are there, an agent may not read now, in the order of their ids. Inside a tenant.
create or replace function attache_not_granted(p_agent uuid, p_ids uuid[]) returns uuid[] language plpgsql stable as $$
begin
  return array(select a.id from attachment a
    where a.tenant_id = attache_tenant_id() and a.id = any(p_ids) and a.deleted_at is null and not exists (
      select 1 from access_grant g where g.tenant_id = a.tenant_id and g.agent_id = p_agent and g.attachment_id = a.id
        and g.revoked_at is null and (g.expires_at is null or g.expires_at > now()))
    order by a.id);
end $$;

-- Which of these attachments an agent may use now: of its tenant and session, there, and granted to it. One look for all ids of a call.
create or replace function attache_permitted(p_tenant uuid, p_session uuid, p_agent uuid, p_ids uuid[]) returns jsonb language plpgsql as $$
declare found jsonb;
begin
  perform attache_enter(p_tenant);
  select coalesce(jsonb_agg(distinct a.id), '[]'::jsonb) into found
    from attachment a join access_grant g on g.tenant_id = a.tenant_id and g.attachment_id = a.id
    where a.tenant_id = attache_tenant_id() and a.id = any(p_ids) and a.session_id = p_session and a.deleted_at is null
      and g.agent_id = p_agent and g.revoked_at is null and (g.expires_at is null or g.expires_at > now());
  return found;
end $$;
