ALTER TABLE "delivery" ADD COLUMN "left_before" jsonb;--> statement-breakpoint
-- As before, and what attempts before the present one left in a conversation that still goes on.
create or replace function attache_resident(p_agents uuid[]) returns jsonb language plpgsql stable as $$
declare found jsonb;
begin
  select coalesce(jsonb_object_agg(held.agent_id, held.sums), '{}'::jsonb) into found from (
    select d.agent_id, jsonb_build_object(
        'bytes', coalesce(sum(case when counts then coalesce(d.held->'bytes', d.plan->'budget'->'bytes'->'used')::numeric end), 0)
          + coalesce(sum((d.left_before->'bytes')::numeric) filter (where has_left), 0),
        'pixels', coalesce(sum(case when counts then coalesce(d.held->'pixels', d.plan->'budget'->'pixels'->'used')::numeric end), 0)
          + coalesce(sum((d.left_before->'pixels')::numeric) filter (where has_left), 0),
        'images', coalesce(sum(case when counts then coalesce(d.held->'images', d.plan->'budget'->'images'->'used')::numeric end), 0)
          + coalesce(sum((d.left_before->'images')::numeric) filter (where has_left), 0),
        'pages', coalesce(sum(case when counts then coalesce(d.held->'pages', d.plan->'budget'->'pages'->'used')::numeric end), 0)
          + coalesce(sum((d.left_before->'pages')::numeric) filter (where has_left), 0)) as sums
      from delivery d join agent a on a.tenant_id = d.tenant_id and a.id = d.agent_id,
        lateral (select d.status in ('queued', 'prepared', 'claimed', 'written')
            or (d.status in ('responded', 'failed') and d.writing_at >= a.context_since) as counts,
          coalesce((d.left_before->>'at')::timestamptz >= a.context_since, false) as has_left) c
      where d.tenant_id = attache_tenant_id() and d.agent_id = any(p_agents) and (counts or has_left)
      group by d.agent_id) held;
  return found;
end $$;
--> statement-breakpoint
alter function attache_resident(uuid[]) set plan_cache_mode = 'force_generic_plan';
