ALTER TABLE "delivery" ADD COLUMN "held" jsonb;--> statement-breakpoint
-- What the runtime of each agent holds, or will hold once what waits for it is written. A plan knows upper bounds: they count until the first
-- byte is written, and from then on what was measured.
create or replace function attache_resident(p_agents uuid[]) returns jsonb language plpgsql stable as $$
declare found jsonb;
begin
  select coalesce(jsonb_object_agg(held.agent_id, held.sums), '{}'::jsonb) into found from (
    select d.agent_id, jsonb_build_object(
        'bytes', coalesce(sum(coalesce(d.held->'bytes', d.plan->'budget'->'bytes'->'used')::numeric), 0),
        'pixels', coalesce(sum(coalesce(d.held->'pixels', d.plan->'budget'->'pixels'->'used')::numeric), 0),
        'images', coalesce(sum(coalesce(d.held->'images', d.plan->'budget'->'images'->'used')::numeric), 0),
        'pages', coalesce(sum(coalesce(d.held->'pages', d.plan->'budget'->'pages'->'used')::numeric), 0)) as sums
      from delivery d join agent a on a.tenant_id = d.tenant_id and a.id = d.agent_id
      where d.tenant_id = attache_tenant_id() and d.agent_id = any(p_agents)
        and (d.status in ('queued', 'prepared', 'claimed', 'written') or (d.status in ('responded', 'failed') and d.writing_at >= a.context_since))
      group by d.agent_id) held;
  return found;
end $$;
--> statement-breakpoint
alter function attache_resident(uuid[]) set plan_cache_mode = 'force_generic_plan';
--> statement-breakpoint
-- As before, and keeps what was measured of what is written.
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
  update delivery set writing_at = coalesce(writing_at, now()), held = p->'held'
    where tenant_id = attache_tenant_id() and id = (p->>'deliveryId')::uuid and status = coalesce(p->>'status', 'claimed') and attempts = (p->>'attempts')::int
      and epoch = (p->'fence'->>'epoch')::bigint
    returning true into marked;
  return jsonb_build_object('outcome', case when marked then 'marked' else 'stale' end);
end $$;
