-- A lane is what one tenant has waiting under one subject.
create index outbox_lane on outbox (subject, tenant_id, created_at, id) where state = 'waiting';
--> statement-breakpoint
-- Claims for a relay: from every lane as many as its window has room for, tenants in turn, each one's oldest first. Two relays that
-- claim in the same instant may overshoot a window by one claim. `isHeld`: a lane is full, or was filled.
create function attache_relay_claim(p jsonb) returns jsonb language plpgsql as $$
declare claimed jsonb; held boolean; room int := (p->>'windowPerTenant')::int;
begin
  perform attache_enter_worker();
  -- What is claimed or published twice has one message id (W6): nothing here waits for the disk.
  perform set_config('synchronous_commit', 'off', true);
  -- The planner takes the recursion for long: it would compile for longer than it ever runs, and plan anew each time.
  perform set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true);
  with recursive lane(subject, tenant_id) as (
    select s.subject, (select o.tenant_id from outbox o where o.state = 'waiting' and o.subject = s.subject order by o.tenant_id limit 1)
      from jsonb_array_elements_text(p->'subjects') s(subject)
    union all
    select l.subject, (select o.tenant_id from outbox o where o.state = 'waiting' and o.subject = l.subject and o.tenant_id > l.tenant_id
        order by o.tenant_id limit 1)
      from lane l where l.tenant_id is not null),
  measured as (
    select l.subject, l.tenant_id, greatest(0, room
        - (select count(*) from (select 1 from outbox o where o.state = 'published' and o.tenant_id = l.tenant_id and o.subject = l.subject limit room) out)
        -- The claimed ones are the oldest of their lane.
        - (select count(*) from (select o.claimed_until from outbox o where o.state = 'waiting' and o.subject = l.subject and o.tenant_id = l.tenant_id
             order by o.created_at, o.id limit 2 * room) first where first.claimed_until >= now())) as free
      from lane l where l.tenant_id is not null),
  fitting as (
    select m.tenant_id, c.id, c.created_at, m.free, row_number() over (partition by m.subject, m.tenant_id order by c.created_at, c.id) as place
      from measured m cross join lateral (
        select o.id, o.created_at from outbox o
          where o.state = 'waiting' and o.subject = m.subject and o.tenant_id = m.tenant_id
            and o.available_at <= now() + interval '1 millisecond' and (o.claimed_until is null or o.claimed_until < now())
          order by o.created_at, o.id limit m.free) c),
  next as materialized (select * from fitting order by place, created_at limit (p->>'limit')::int),
  locked as (
    select o.tenant_id, o.id from outbox o join next n on n.tenant_id = o.tenant_id and n.id = o.id
      where o.state = 'waiting' and (o.claimed_until is null or o.claimed_until < now())
      for update of o skip locked),
  taken as (
    update outbox o set claimed_until = now() + make_interval(secs => (p->>'leaseMs')::int / 1000.0)
      from locked where o.tenant_id = locked.tenant_id and o.id = locked.id
      returning o.tenant_id, o.id, o.subject, o.data, o.trace, o.emission)
  select coalesce(jsonb_agg(jsonb_build_object('tenantId', t.tenant_id, 'id', t.id, 'subject', t.subject, 'data', t.data, 'trace', t.trace,
             'emission', t.emission) order by n.place, n.created_at), '[]'::jsonb),
         exists (select 1 from measured m where m.free = 0) or exists (select 1 from next f where f.place = f.free)
    into claimed, held from taken t join next n on n.tenant_id = t.tenant_id and n.id = t.id;
  return jsonb_build_object('messages', claimed, 'isHeld', held);
end $$;
--> statement-breakpoint
-- Marks what the broker has acknowledged, unless it is settled already or was emitted anew.
create function attache_relay_published(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter_worker();
  perform set_config('synchronous_commit', 'off', true);
  with locked as (
    select o.tenant_id, o.id from outbox o join jsonb_to_recordset(p) as m("tenantId" uuid, id uuid, emission int)
      on o.tenant_id = m."tenantId" and o.id = m.id
      where o.state = 'waiting' and o.emission = m.emission order by o.tenant_id, o.id for update of o)
  update outbox o set state = 'published', published_at = now(), claimed_until = null from locked where o.tenant_id = locked.tenant_id and o.id = locked.id;
  return 'null'::jsonb;
end $$;
--> statement-breakpoint
-- Gives back what could not be published.
create function attache_relay_return(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter_worker();
  perform set_config('synchronous_commit', 'off', true);
  with locked as (
    select o.tenant_id, o.id from outbox o join jsonb_to_recordset(p) as m("tenantId" uuid, id uuid, emission int)
      on o.tenant_id = m."tenantId" and o.id = m.id
      where o.state = 'waiting' and o.emission = m.emission order by o.tenant_id, o.id for update of o)
  update outbox o set claimed_until = null from locked where o.tenant_id = locked.tenant_id and o.id = locked.id;
  return 'null'::jsonb;
end $$;
--> statement-breakpoint
-- A consumer still works on these: they are not lost.
create function attache_relay_touch(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter_worker();
  perform set_config('synchronous_commit', 'off', true);
  update outbox set published_at = now() where tenant_id = (p->>'tenantId')::uuid and id = (p->>'id')::uuid and state = 'published';
  return 'null'::jsonb;
end $$;
--> statement-breakpoint
-- What was published and not settled in time may be lost (W7): it waits again, under the message id of its next emission. Each time it is given twice as long.
create function attache_relay_reconcile(p jsonb) returns jsonb language plpgsql as $$
declare lost int;
begin
  perform attache_enter_worker();
  with overdue as (
    select o.tenant_id, o.id from outbox o
      where o.state = 'published' and o.subject in (select jsonb_array_elements_text(p->'subjects'))
        and o.published_at < now() - make_interval(secs => (p->>'afterMs')::int / 1000.0 * power(2, least(o.emission, 6)))
      order by o.published_at limit 500 for update skip locked)
  update outbox o set state = 'waiting', emission = o.emission + 1, published_at = null, claimed_until = null
    from overdue where o.tenant_id = overdue.tenant_id and o.id = overdue.id;
  get diagnostics lost = row_count;
  return to_jsonb(lost);
end $$;
--> statement-breakpoint
create function attache_relay_backlog(p_subjects text[]) returns jsonb language plpgsql as $$
declare backlog jsonb;
begin
  perform attache_enter_worker();
  select jsonb_build_object('waiting', count(*), 'oldestMs', coalesce(greatest(0, floor(extract(epoch from now() - min(o.created_at)) * 1000)), 0),
           'published', (select count(*) from outbox i where i.state = 'published' and i.subject = any(p_subjects)))
    into backlog from outbox o where o.state = 'waiting' and o.subject = any(p_subjects);
  return backlog;
end $$;
--> statement-breakpoint
-- Settles many messages as done. Answers the subjects under which a message of the same tenant waits for the room that this makes.
create function attache_settle_many(p jsonb) returns jsonb language plpgsql as $$
declare roomy jsonb;
begin
  perform attache_enter_worker();
  -- Should this be lost, the message comes again and the inbox knows it (W8).
  perform set_config('synchronous_commit', 'off', true);
  with locked as (
    select o.tenant_id, o.id from outbox o join jsonb_to_recordset(p) as m("tenantId" uuid, id uuid) on o.tenant_id = m."tenantId" and o.id = m.id
      where o.state in ('waiting', 'published') order by o.tenant_id, o.id for update of o),
  settled as (
    update outbox o set state = 'done', claimed_until = null, settled_at = now() from locked
      where o.tenant_id = locked.tenant_id and o.id = locked.id returning o.tenant_id, o.subject)
  select coalesce(jsonb_agg(distinct s.subject), '[]'::jsonb) into roomy from settled s
    where exists (select 1 from outbox w where w.state = 'waiting' and w.subject = s.subject and w.tenant_id = s.tenant_id and w.claimed_until is null
      and not (w.tenant_id, w.id) in (select l.tenant_id, l.id from locked l));
  return roomy;
end $$;
--> statement-breakpoint
-- Settles one message: done, waiting again after a delay, or dead with a reason that the operator can read. `attempts` is the broker's count, where one counts.
create or replace function attache_settle_outbox(p jsonb) returns void language plpgsql as $$
begin
  perform attache_enter_worker();
  if p->>'as' = 'retry' then
    update outbox set claimed_until = null, available_at = now() + make_interval(secs => (p->>'delayMs')::numeric / 1000.0)
      where tenant_id = (p->>'tenantId')::uuid and id = (p->>'id')::uuid and state = 'waiting';
    return;
  end if;
  update outbox set state = p->>'as', claimed_until = null, settled_at = now(), attempts = coalesce((p->>'attempts')::int, attempts)
    where tenant_id = (p->>'tenantId')::uuid and id = (p->>'id')::uuid and state in ('waiting', 'published');
  -- Settled before: a late word of a consumer that lost its lease changes nothing.
  if not found then return; end if;
  if p->>'as' = 'dead' then
    insert into dead_letter as d (tenant_id, id, consumer, subject, data, trace, reason, attempts)
      select tenant_id, id, p->>'consumer', subject, data, trace, p->>'reason', attempts from outbox
        where tenant_id = (p->>'tenantId')::uuid and id = (p->>'id')::uuid
      -- Replayed, and dead again.
      on conflict (tenant_id, id, consumer) do update
        set reason = excluded.reason, attempts = excluded.attempts, created_at = excluded.created_at, replayed_at = null
        where d.replayed_at is not null;
  end if;
end $$;
--> statement-breakpoint
-- Lets a dead letter wait again, under the message id of its next emission. What the consumer has handled stays in its inbox.
create function attache_replay_dead_letter(p jsonb) returns jsonb language plpgsql as $$
declare letter dead_letter%rowtype;
begin
  perform attache_enter_worker();
  select * into letter from dead_letter
    where tenant_id = (p->>'tenantId')::uuid and id = (p->>'id')::uuid and consumer = p->>'consumer' for update;
  if not found then return to_jsonb('not-found'::text); end if;
  if letter.replayed_at is not null then return to_jsonb('already-replayed'::text); end if;
  update dead_letter set replayed_at = now() where tenant_id = letter.tenant_id and id = letter.id and consumer = letter.consumer;
  insert into outbox as o (tenant_id, id, subject, data, trace, emission)
    values (letter.tenant_id, letter.id, letter.subject, letter.data, letter.trace, 1)
    on conflict (tenant_id, id) do update
      set state = 'waiting', emission = o.emission + 1, attempts = 0, available_at = now(), claimed_until = null, published_at = null, settled_at = null
      where o.state in ('dead', 'done');
  return to_jsonb('replayed'::text);
end $$;
