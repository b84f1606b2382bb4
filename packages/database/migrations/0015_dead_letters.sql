ALTER TABLE "outbox" ADD COLUMN "deferrals" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- As before, and tells how many attempts came before.
create or replace function attache_relay_claim_many(p jsonb) returns jsonb language plpgsql as $$
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
      returning o.tenant_id, o.id, o.subject, o.data, o.trace, o.emission, o.attempts)
  select coalesce(jsonb_agg(jsonb_build_object('tenantId', t.tenant_id, 'id', t.id, 'subject', t.subject, 'data', t.data, 'trace', t.trace,
             'emission', t.emission, 'attempts', t.attempts) order by n.place, n.created_at), '[]'::jsonb),
         exists (select 1 from measured m where m.free = 0) or exists (select 1 from next f where f.place = f.free)
    into claimed, held from taken t join next n on n.tenant_id = t.tenant_id and n.id = t.id;
  return jsonb_build_object('messages', claimed, 'isHeld', held);
end $$;
--> statement-breakpoint
-- As before, and tells how many attempts came before.
create or replace function attache_relay_claim(p jsonb) returns jsonb language plpgsql as $$
declare tenants uuid[]; ids uuid[]; subjects text[]; room int := (p->>'windowPerTenant')::int; left_over int := (p->>'limit')::int;
  free int; taken jsonb; claimed jsonb := '[]'; held boolean := false; setting text;
begin
  perform attache_enter_worker();
  -- The partial indexes hold what waits and what is out; the table also holds what is done.
  setting := set_config('enable_seqscan', 'off', true);
  setting := set_config('plan_cache_mode', 'force_generic_plan', true);
  select array_agg(w.tenant_id order by w.created_at, w.id), array_agg(w.id order by w.created_at, w.id), array_agg(w.subject order by w.created_at, w.id)
    into tenants, ids, subjects from (
      select o.tenant_id, o.id, o.subject, o.created_at from outbox o
        where o.state = 'waiting' and o.subject in (select jsonb_array_elements_text(p->'subjects'))
          and o.available_at <= now() + interval '1 millisecond' and (o.claimed_until is null or o.claimed_until < now())
        limit 9) w;
  if cardinality(ids) > 8 then return attache_relay_claim_many(p); end if;
  -- What is claimed or published twice has one message id (W6): nothing here waits for the disk.
  setting := set_config('synchronous_commit', 'off', true);
  for i in 1 .. coalesce(cardinality(ids), 0) loop
    exit when left_over = 0;
    select room - count(*) into free from (
      select 1 from outbox o where o.state = 'published' and o.tenant_id = tenants[i] and o.subject = subjects[i] limit room) published;
    select free - count(*) into free from (
      select 1 from outbox o where o.state = 'waiting' and o.tenant_id = tenants[i] and o.subject = subjects[i] and o.claimed_until >= now() limit room) under_way;
    held := held or free <= 1;
    continue when free <= 0;
    update outbox o set claimed_until = now() + make_interval(secs => (p->>'leaseMs')::int / 1000.0)
      where o.tenant_id = tenants[i] and o.id = ids[i] and o.state = 'waiting' and (o.claimed_until is null or o.claimed_until < now())
      returning jsonb_build_object('tenantId', o.tenant_id, 'id', o.id, 'subject', o.subject, 'data', o.data, 'trace', o.trace, 'emission', o.emission, 'attempts', o.attempts)
      into taken;
    if taken is not null then
      claimed := claimed || taken;
      left_over := left_over - 1;
    end if;
  end loop;
  return jsonb_build_object('messages', claimed, 'isHeld', held);
end $$;
--> statement-breakpoint
-- As before; what a consumer put back was not lost.
create or replace function attache_relay_reconcile(p jsonb) returns jsonb language plpgsql as $$
declare lost int;
begin
  perform attache_enter_worker();
  with overdue as (
    select o.tenant_id, o.id from outbox o
      where o.state = 'published' and o.subject in (select jsonb_array_elements_text(p->'subjects'))
        and o.published_at < now() - make_interval(secs => (p->>'afterMs')::int / 1000.0 * power(2, least(o.emission - o.deferrals, 6)))
      order by o.published_at limit 500 for update skip locked)
  update outbox o set state = 'waiting', emission = o.emission + 1, published_at = null, claimed_until = null
    from overdue where o.tenant_id = overdue.tenant_id and o.id = overdue.id;
  get diagnostics lost = row_count;
  return to_jsonb(lost);
end $$;
--> statement-breakpoint
-- Counts the attempt that begins, where a broker brings a message again, and the first one of its emission: `before` had counted when that was given
-- out. Null: the message is settled, or was emitted anew.
create function attache_count_attempt(p jsonb) returns jsonb language plpgsql as $$
declare counted int;
begin
  perform attache_enter_worker();
  -- What counts is that the process died; the database did not.
  perform set_config('synchronous_commit', 'off', true);
  update outbox o set attempts = greatest(o.attempts, (p->>'before')::int + 1) + 1
    where o.tenant_id = (p->>'tenantId')::uuid and o.id = (p->>'id')::uuid and o.state in ('waiting', 'published')
      and (not p ? 'emission' or o.emission = (p->>'emission')::int)
    returning o.attempts into counted;
  return to_jsonb(counted);
end $$;
--> statement-breakpoint
-- Lets a message wait again, for `delayMs` or twice as long each time, under the message id of its next emission. `attempts` is added to those that
-- count. Answers the delay in milliseconds; null where it was settled or emitted anew meanwhile.
create function attache_defer_message(p jsonb) returns jsonb language plpgsql as $$
declare delay_ms numeric;
begin
  perform attache_enter_worker();
  select coalesce((p->>'delayMs')::numeric, least(30000, 200 * power(2, least(o.deferrals, 10)))) into delay_ms
    from outbox o where o.tenant_id = (p->>'tenantId')::uuid and o.id = (p->>'id')::uuid;
  update outbox o set state = 'waiting', claimed_until = null, published_at = null, emission = o.emission + 1, deferrals = o.deferrals + 1,
      attempts = greatest(0, o.attempts + (p->>'attempts')::int), available_at = now() + make_interval(secs => delay_ms / 1000.0)
    where o.tenant_id = (p->>'tenantId')::uuid and o.id = (p->>'id')::uuid and o.state in ('waiting', 'published')
      and (not p ? 'emission' or o.emission = (p->>'emission')::int) and (not p ? 'claim' or o.attempts = (p->>'claim')::int);
  return case when found then to_jsonb(delay_ms) end;
end $$;
--> statement-breakpoint
-- Claims messages for a consumer: hidden from others until the lease ends. Of those that were claimed before no more than `again`: one that kills its process
-- takes no others with it each time.
create function attache_claim_messages(p jsonb) returns jsonb language plpgsql as $$
declare claimed jsonb; wanted text[] := array(select jsonb_array_elements_text(p->'subjects'));
begin
  perform attache_enter_worker();
  with again as (
    select tenant_id, id from outbox
      -- Stored times are rounded to milliseconds, up too.
      where state = 'waiting' and subject = any(wanted) and attempts > 0 and available_at <= now() + interval '1 millisecond'
        and (claimed_until is null or claimed_until < now())
      order by created_at, id limit least((p->>'again')::int, (p->>'limit')::int) for update skip locked),
  fresh as (
    select tenant_id, id from outbox
      where state = 'waiting' and subject = any(wanted) and attempts = 0 and available_at <= now() + interval '1 millisecond'
        and (claimed_until is null or claimed_until < now())
      order by created_at, id limit (p->>'limit')::int - (select count(*) from again) for update skip locked),
  next as (select * from again union all select * from fresh),
  taken as (
    update outbox o set claimed_until = now() + make_interval(secs => (p->>'leaseMs')::int / 1000.0), attempts = o.attempts + 1
      from next where o.tenant_id = next.tenant_id and o.id = next.id
      returning o.tenant_id, o.id, o.subject, o.data, o.trace, o.attempts, o.created_at)
  select coalesce(jsonb_agg(jsonb_build_object('tenantId', tenant_id, 'id', id, 'subject', subject, 'data', data, 'trace', trace, 'attempt', attempts)
           order by created_at, id), '[]'::jsonb) into claimed from taken;
  return claimed;
end $$;
--> statement-breakpoint
-- Keeps claimed messages hidden while they are worked on, each by the attempt that holds it.
create function attache_extend_claims(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter_worker();
  update outbox o set claimed_until = now() + make_interval(secs => (p->>'leaseMs')::int / 1000.0)
    from jsonb_to_recordset(p->'messages') as m("tenantId" uuid, id uuid, attempt int)
    where o.tenant_id = m."tenantId" and o.id = m.id and o.state = 'waiting' and o.claimed_until is not null and o.attempts = m.attempt;
  return 'null'::jsonb;
end $$;
--> statement-breakpoint
-- Settles a message of the transaction's tenant as dead, with the letter that an operator reads. False: it was settled before, or another attempt has it.
create function attache_bury_message(p jsonb) returns boolean language plpgsql as $$
declare tenant uuid := attache_tenant_id(); buried boolean;
begin
  perform set_config('role', 'attache_worker', true);
  update outbox set state = 'dead', claimed_until = null, settled_at = now(), attempts = (p->>'attempts')::int
    where tenant_id = tenant and id = (p->>'id')::uuid and state in ('waiting', 'published')
      and (not p ? 'emission' or emission = (p->>'emission')::int) and (not p ? 'claim' or attempts = (p->>'claim')::int) returning true into buried;
  if buried then
    insert into dead_letter as d (tenant_id, id, consumer, subject, data, trace, reason, attempts)
      select tenant_id, id, p->>'consumer', subject, data, trace, p->>'reason', attempts from outbox where tenant_id = tenant and id = (p->>'id')::uuid
      -- Replayed, and dead again.
      on conflict (tenant_id, id, consumer) do update
        set reason = excluded.reason, attempts = excluded.attempts, created_at = excluded.created_at, replayed_at = null
        where d.replayed_at is not null;
  end if;
  perform set_config('role', 'attache_app', true);
  return coalesce(buried, false);
end $$;
--> statement-breakpoint
-- What `attache_claim_outbox`, `attache_settle_outbox` and `attache_replay_dead_letter` did is done by the functions of this file; a process of the release before still calls them.

-- Lets a dead letter of the transaction's tenant wait again, under the message id of its next emission. What the consumer has handled stays in its inbox.
create function attache_replay_letter(p jsonb) returns jsonb language plpgsql as $$
declare tenant uuid := attache_tenant_id(); letter dead_letter%rowtype; outcome text := 'replayed';
begin
  perform set_config('role', 'attache_worker', true);
  select * into letter from dead_letter where tenant_id = tenant and id = (p->>'id')::uuid and consumer = p->>'consumer' for update;
  if not found then
    outcome := 'not-found';
  elsif letter.replayed_at is not null then
    outcome := 'already-replayed';
  else
    update dead_letter set replayed_at = now() where tenant_id = tenant and id = letter.id and consumer = letter.consumer;
    -- Marked by a handler that came too late to have an effect: what was put back is handled all the same.
    if (p->>'isPutBack')::boolean then
      delete from inbox where tenant_id = tenant and event_id = letter.id and consumer = letter.consumer;
    end if;
    insert into outbox as o (tenant_id, id, subject, data, trace, emission)
      values (letter.tenant_id, letter.id, letter.subject, letter.data, letter.trace, 1)
      on conflict (tenant_id, id) do update
        set state = 'waiting', emission = o.emission + 1, attempts = 0, available_at = now(), claimed_until = null, published_at = null, settled_at = null
        where o.state in ('dead', 'done');
  end if;
  perform set_config('role', 'attache_app', true);
  return to_jsonb(outcome);
end $$;
