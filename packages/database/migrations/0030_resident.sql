-- What an agent's runtime holds is a sum that is kept on the agent's row.
ALTER TABLE "agent" ADD COLUMN "resident" jsonb;--> statement-breakpoint
CREATE INDEX "delivery_written" ON "delivery" USING btree ("tenant_id","agent_id","writing_at") WHERE writing_at is not null;--> statement-breakpoint
CREATE INDEX "delivery_left" ON "delivery" USING btree ("tenant_id","agent_id",(left_before->>'at')) WHERE left_before is not null;--> statement-breakpoint
-- What of a delivery its agent's runtime holds, or will hold once it is written: bytes, pixels, images and pages. A plan knows upper bounds: they count
-- until the first byte is written, and from then on what was measured. What attempts before the present one left in a conversation that still goes on
-- counts too.
create function attache_held_of(d delivery, p_since timestamptz) returns numeric[] language plpgsql stable as $$
declare
  counts boolean := coalesce(d.status in ('queued', 'prepared', 'claimed', 'written') or (d.status in ('responded', 'failed') and d.writing_at >= p_since), false);
  has_left boolean := coalesce((d.left_before->>'at')::timestamptz >= p_since, false);
begin
  return array(select coalesce(case when counts then coalesce(d.held->b.name, d.plan->'budget'->b.name->'used')::numeric end, 0)
      + coalesce(case when has_left then (d.left_before->b.name)::numeric end, 0)
    from unnest(array['bytes', 'pixels', 'images', 'pages']) with ordinality as b(name, position) order by b.position);
end $$;
--> statement-breakpoint
create function attache_add_held(p_resident jsonb, p_added numeric[]) returns jsonb language sql immutable as $$
  select jsonb_build_object('bytes', coalesce((p_resident->'bytes')::numeric, 0) + p_added[1], 'pixels', coalesce((p_resident->'pixels')::numeric, 0) + p_added[2],
    'images', coalesce((p_resident->'images')::numeric, 0) + p_added[3], 'pages', coalesce((p_resident->'pages')::numeric, 0) + p_added[4])
$$;
--> statement-breakpoint
-- What an agent's runtime holds whose context began then, summed over what waits for it and what came since. Null: nothing is counted.
create function attache_sum_held(p_tenant uuid, p_agent uuid, p_since timestamptz) returns jsonb language plpgsql as $$
declare
  summed jsonb; one delivery%rowtype;
  -- As it is written in `left_before`.
  since_text text := to_char(p_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
begin
  for one in
    select d.* from delivery d where d.tenant_id = p_tenant and d.id in (
      select w.id from delivery w where w.tenant_id = p_tenant and w.agent_id = p_agent and w.status in ('queued', 'prepared', 'claimed', 'written')
      union select w.id from delivery w where w.tenant_id = p_tenant and w.agent_id = p_agent and w.writing_at is not null and w.writing_at >= p_since
      union select w.id from delivery w where w.tenant_id = p_tenant and w.agent_id = p_agent and w.left_before is not null and w.left_before->>'at' >= since_text)
  loop
    summed := attache_add_held(summed, attache_held_of(one, p_since));
  end loop;
  return summed;
end $$;
--> statement-breakpoint
-- Keeps the sum of an agent in the statement that changes one of its deliveries. The agent's row is locked before its context is read: who begins
-- another one counts anew under the same lock.
create function attache_keep_held() returns trigger language plpgsql as $$
declare since timestamptz; added numeric[] := array[0, 0, 0, 0]; the_tenant uuid := coalesce(new.tenant_id, old.tenant_id); the_agent uuid := coalesce(new.agent_id, old.agent_id);
begin
  if tg_op = 'UPDATE' and old.status in ('queued', 'prepared', 'claimed', 'written') and new.status in ('queued', 'prepared', 'claimed', 'written')
      and old.held is not distinct from new.held and old.left_before is not distinct from new.left_before
      and old.plan->'budget' is not distinct from new.plan->'budget' then
    return null;
  end if;
  select a.context_since into since from agent a where a.tenant_id = the_tenant and a.id = the_agent for no key update;
  if not found then return null; end if;
  if tg_op <> 'DELETE' then added := attache_held_of(new, since); end if;
  if tg_op <> 'INSERT' then
    added := array(select n.amount - o.amount from unnest(added) with ordinality as n(amount, position)
      join unnest(attache_held_of(old, since)) with ordinality as o(amount, position) using (position) order by position);
  end if;
  if tg_op = 'INSERT' or array[0, 0, 0, 0]::numeric[] <> added then
    update agent a set resident = attache_add_held(a.resident, added) where a.tenant_id = the_tenant and a.id = the_agent;
  end if;
  return null;
end $$;
--> statement-breakpoint
-- A runtime that starts anew holds nothing of what was written before. The agent's row is locked by now.
create function attache_recount_held() returns trigger language plpgsql as $$
begin
  if new.context_since is distinct from old.context_since then
    new.resident := coalesce(attache_sum_held(new.tenant_id, new.id, new.context_since),
      case when old.resident is not null then attache_add_held(null, array[0, 0, 0, 0]) end);
  end if;
  return new;
end $$;
--> statement-breakpoint
-- The owner of a table sees its rows only while it is not forced.
alter table agent no force row level security;
--> statement-breakpoint
alter table delivery no force row level security;
--> statement-breakpoint
update agent a set resident = coalesce(attache_sum_held(a.tenant_id, a.id, a.context_since), attache_add_held(null, array[0, 0, 0, 0]))
  where exists (select 1 from delivery d where d.tenant_id = a.tenant_id and d.agent_id = a.id);
--> statement-breakpoint
alter table agent force row level security;
--> statement-breakpoint
alter table delivery force row level security;
--> statement-breakpoint
create trigger keep_held after insert or delete or update of status, held, left_before, writing_at, plan on delivery
  for each row execute function attache_keep_held();
--> statement-breakpoint
create trigger recount_held before update of context_since on agent
  for each row execute function attache_recount_held();
