-- What a tenant's logs hold can go after a time that the caller names. Those who add to them still cannot remove anything: only two functions can, as a role of their own.
ALTER TABLE "session" ADD COLUMN "pruned_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "session_prunable" ON "session" USING btree ("tenant_id","ended_at") WHERE status = 'ended' and pruned_at is null and not legal_hold;
--> statement-breakpoint
do $$ begin create role attache_pruner nologin; exception when duplicate_object then null; end $$;
--> statement-breakpoint
do $$ begin execute format('grant attache_pruner to %I', current_user); end $$;
--> statement-breakpoint
grant usage on schema public to attache_pruner;
--> statement-breakpoint
-- A function changes its owner only to a role that may create in its schema.
grant create on schema public to attache_pruner;
--> statement-breakpoint
do $$
declare log_table text; read_table text;
begin
  foreach log_table in array array['session_log', 'delivery_transition', 'audit_log'] loop
    execute format('create policy pruner_read on %I for select to attache_pruner using (true)', log_table);
    execute format('create policy pruner_delete on %I for delete to attache_pruner using (true)', log_table);
    execute format('grant select, delete on %I to attache_pruner', log_table);
  end loop;
  foreach read_table in array array['tenant', 'session', 'delivery'] loop
    execute format('create policy pruner_read on %I for select to attache_pruner using (true)', read_table);
    execute format('grant select on %I to attache_pruner', read_table);
  end loop;
end $$;
--> statement-breakpoint
create policy pruner_mark on session for update to attache_pruner using (status = 'ended') with check (status = 'ended');
--> statement-breakpoint
grant update (pruned_at) on session to attache_pruner;
--> statement-breakpoint
-- Removes what sessions of a tenant said that ended before the given time: their log and the timelines of their deliveries, at most `limit` rows.
-- What is under a legal hold stays, and what a delivery may still need. Answers how many rows went, and whether there are no more.
create function attache_prune_sessions(p jsonb) returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tenant_of uuid := (p->>'tenantId')::uuid; most int := (p->>'limit')::int;
  -- Whatever is asked for, a day is kept.
  ended_before timestamptz := least((p->>'before')::timestamptz, now() - interval '1 day');
  the_session uuid; found_sessions int := 0; removed int := 0; gone int;
begin
  if exists (select 1 from tenant where tenant_id = tenant_of and legal_hold) then return jsonb_build_object('removed', 0, 'isDone', true); end if;
  for the_session in
    select s.id from session s where s.tenant_id = tenant_of and s.status = 'ended' and s.pruned_at is null and not s.legal_hold and s.ended_at < ended_before
        and not exists (select 1 from delivery d where d.tenant_id = tenant_of and d.session_id = s.id and d.status in ('queued', 'prepared', 'claimed', 'written'))
      order by s.ended_at limit 100 for no key update of s skip locked
  loop
    found_sessions := found_sessions + 1;
    delete from delivery_transition where (tenant_id, delivery_id, position) in (
      select t.tenant_id, t.delivery_id, t.position from delivery d join delivery_transition t on t.tenant_id = d.tenant_id and t.delivery_id = d.id
        where d.tenant_id = tenant_of and d.session_id = the_session limit most - removed);
    get diagnostics gone = row_count;
    removed := removed + gone;
    delete from session_log where (tenant_id, session_id, seq) in (
      select l.tenant_id, l.session_id, l.seq from session_log l where l.tenant_id = tenant_of and l.session_id = the_session order by l.seq limit most - removed);
    get diagnostics gone = row_count;
    removed := removed + gone;
    if removed >= most then return jsonb_build_object('removed', removed, 'isDone', false); end if;
    update session set pruned_at = now() where tenant_id = tenant_of and id = the_session;
  end loop;
  return jsonb_build_object('removed', removed, 'isDone', found_sessions < 100);
end $$;
--> statement-breakpoint
-- Removes at most `limit` entries of a tenant's audit log from before the given time, the oldest first. Answers how many.
create function attache_prune_audit(p jsonb) returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tenant_of uuid := (p->>'tenantId')::uuid; removed int;
  -- Whatever is asked for, a day is kept.
  written_before timestamptz := least((p->>'before')::timestamptz, now() - interval '1 day');
begin
  delete from audit_log where (tenant_id, id) in (
    select a.tenant_id, a.id from audit_log a where a.tenant_id = tenant_of and a.at < written_before
        and not exists (select 1 from tenant t where t.tenant_id = tenant_of and t.legal_hold)
      order by a.at limit (p->>'limit')::int);
  get diagnostics removed = row_count;
  return removed;
end $$;
--> statement-breakpoint
alter function attache_prune_sessions(jsonb) owner to attache_pruner;
--> statement-breakpoint
alter function attache_prune_audit(jsonb) owner to attache_pruner;
--> statement-breakpoint
revoke create on schema public from attache_pruner;
--> statement-breakpoint
revoke execute on function attache_prune_sessions(jsonb), attache_prune_audit(jsonb) from public;
--> statement-breakpoint
grant execute on function attache_prune_sessions(jsonb), attache_prune_audit(jsonb) to attache_worker;
