-- Takes away the checkpoints of an agent, but for the latest `p_kept`, and the packs that none of those names. Answers the blobs of these packs, which
-- stay live until they are collected. Inside a tenant.
create or replace function attache_drop_checkpoints(p_agent uuid, p_kept int) returns uuid[] language plpgsql as $$
declare gone uuid[];
begin
  delete from checkpoint c where c.tenant_id = (select attache_tenant_id()) and c.agent_id = p_agent and c.number not in (
    select k.number from checkpoint k where k.tenant_id = (select attache_tenant_id()) and k.agent_id = p_agent order by k.number desc limit p_kept);
  with dropped as (
    delete from checkpoint_pack p where p.tenant_id = (select attache_tenant_id()) and p.agent_id = p_agent and not exists (
        select 1 from checkpoint c where c.tenant_id = p.tenant_id and c.agent_id = p.agent_id and p.blob_id = any(c.packs))
      returning p.blob_id)
  select coalesce(array_agg(d.blob_id), '{}') into gone from dropped d;
  return gone;
end $$;

-- Keeps a checkpoint whose pack is written, under the fence of its session, and the one before it; its event is in the same commit. `outdated`: the session
-- has ended, the agent is gone, or remembers something else by now. Answers the blobs of former checkpoints, whose bytes may be removed. May be repeated
-- after a lost answer.
create or replace function attache_keep_checkpoint(p jsonb) returns jsonb language plpgsql as $$
declare
  the_agent uuid := (p->>'agentId')::uuid; the_session uuid := (p->>'sessionId')::uuid; the_blob uuid := (p->>'blobId')::uuid;
  the_number int; released jsonb;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_hold_epoch(the_session, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return '{"outcome": "ownership-lost"}';
  end if;
  perform attache_lock_usage();
  perform 1 from agent a where a.tenant_id = (select attache_tenant_id()) and a.id = the_agent and a.removed_at is null
    and a.memory_version = (p->>'memoryVersion')::int and a.target_version = (p->>'targetVersion')::int for share;
  if not found then return '{"outcome": "outdated"}'; end if;
  perform 1 from session s where s.tenant_id = (select attache_tenant_id()) and s.id = the_session and s.status = 'active' for no key update;
  if not found then return '{"outcome": "outdated"}'; end if;
  perform 1 from checkpoint_pack k where k.tenant_id = (select attache_tenant_id()) and k.blob_id = the_blob and k.agent_id = the_agent;
  if found then return '{"outcome": "kept", "released": []}'; end if;
  if not attache_record_blob(the_blob, (p->>'storedBytes')::bigint, p->>'sha256') then return '{"outcome": "reservation-lost"}'; end if;
  insert into checkpoint_pack (tenant_id, blob_id, agent_id, raw_bytes) values (attache_tenant_id(), the_blob, the_agent, (p->>'rawBytes')::bigint);
  select coalesce(max(c.number), 0) + 1 into the_number from checkpoint c where c.tenant_id = (select attache_tenant_id()) and c.agent_id = the_agent;
  insert into checkpoint (tenant_id, agent_id, number, session_id, epoch, delivery_id, target_version, memory_version, reference, program_version, packs, files,
      size_bytes)
    values (attache_tenant_id(), the_agent, the_number, the_session, (p->'fence'->>'epoch')::bigint, (p->>'deliveryId')::uuid, (p->>'targetVersion')::int,
      (p->>'memoryVersion')::int, p->>'reference', p->>'programVersion', array(select jsonb_array_elements_text(p->'packs')::uuid), p->'files',
      (p->>'sizeBytes')::bigint);
  released := attache_release_blobs(attache_drop_checkpoints(the_agent, 2));
  perform attache_append_events(the_session, p->'events');
  return jsonb_build_object('outcome', 'kept', 'released', released);
end $$;

-- Takes away all checkpoints of an agent, and answers the blobs whose bytes may be removed.
create or replace function attache_forget_checkpoints(p_tenant uuid, p_agent uuid) returns jsonb language plpgsql as $$
begin
  perform attache_enter(p_tenant);
  perform attache_lock_usage();
  return attache_release_blobs(attache_drop_checkpoints(p_agent, 0));
end $$;

-- A checkpoint of an agent, with the keys of its packs in their order: the one that holds what was brought to the agent as it is now, else the latest. It was
-- taken since the last message was brought, and holds no earlier attempt of a message that is to be brought again. Null where there is none.
create or replace function attache_read_checkpoint(p_tenant uuid, p_agent uuid) returns jsonb language plpgsql stable as $$
begin
  perform attache_enter(p_tenant);
  return (
    select to_jsonb(c) || jsonb_build_object(
        'isCurrent', c.is_current,
        'packs', (select coalesce(jsonb_agg(jsonb_build_object('blobId', b.id, 'key', b.key, 'rawBytes', k.raw_bytes) order by named.position), '[]'::jsonb)
          from unnest(c.packs) with ordinality named(id, position)
            join blob b on b.tenant_id = c.tenant_id and b.id = named.id and b.state = 'live'
            join checkpoint_pack k on k.tenant_id = c.tenant_id and k.blob_id = b.id))
      from agent a join lateral (
          select l.*, coalesce(l.target_version = a.target_version and l.memory_version = a.memory_version and l.delivery_id = brought.id
              and l.created_at >= brought.writing_at and not exists (
                select 1 from delivery w where w.tenant_id = a.tenant_id and w.agent_id = a.id and w.status in ('queued', 'prepared', 'claimed')
                  and (w.left_before->>'at')::timestamptz <= brought.writing_at), false) as is_current
            from checkpoint l left join lateral (
                select d.id, d.writing_at from delivery d where d.tenant_id = a.tenant_id and d.agent_id = a.id and d.writing_at is not null
                order by d.writing_at desc limit 1) brought on true
            where l.tenant_id = a.tenant_id and l.agent_id = a.id order by is_current desc, l.number desc limit 1) c on true
      where a.tenant_id = (select attache_tenant_id()) and a.id = p_agent);
end $$;

-- A file is deleted: who could read it has bytes of it in what its program remembers. Here and below the checkpoints go with the commit; the gateway
-- releases their packs when it hears of it, and else the collection finds them.
create or replace function attache_forget_deleted() returns trigger language plpgsql as $$
declare outdated uuid[] := attache_outdate_memory(new.tenant_id, new.id);
begin
  delete from checkpoint c where c.tenant_id = new.tenant_id and c.agent_id = any(outdated);
  return null;
end $$;

-- An agent is gone, or has another target: nobody continues what its program remembered.
create or replace function attache_forget_agent() returns trigger language plpgsql as $$
begin
  delete from checkpoint c where c.tenant_id = new.tenant_id and c.agent_id = new.id;
  return null;
end $$;

create or replace function attache_forget_session() returns trigger language plpgsql as $$
begin
  delete from checkpoint c where c.tenant_id = new.tenant_id and c.session_id = new.id;
  return null;
end $$;
