-- Puts a message of the transaction's tenant into its outbox: no role that acts inside a tenant may write there otherwise. Each service puts what it has to
-- tell: a gateway or projector that gives a message up also says that its delivery stopped. `fallbackMs`: it is rung for, and for so long the row waits for
-- the ring to be heeded. Answers the living owner of the session.
create or replace function attache_put_message(p jsonb) returns uuid language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tenant uuid := (select attache_tenant_id());
  told text[] := case session_user
    when 'attache_projector' then array['delivery.prepared', 'delivery.stopped']
    when 'attache_gateway' then array['attachment.added', 'delivery.stopped']
    else array['attachment.added', 'delivery.queued', 'projection.requested', 'delivery.prepared', 'delivery.stopped', 'delivery.interrupted', 'agent.removed',
      'session.ended'] end;
begin
  if tenant is null or p->'data'->>'tenantId' is distinct from tenant::text then
    raise exception 'attache: a message of another tenant' using errcode = '42501';
  end if;
  if not coalesce(p->>'subject' = any(told), false) then raise exception 'attache: a message that this service does not send' using errcode = '42501'; end if;
  insert into outbox (tenant_id, id, subject, data, trace, available_at)
    values (tenant, (p->>'id')::uuid, p->>'subject', p->'data', nullif(p->'trace', 'null'),
      now() + make_interval(secs => least(60000, greatest(0, coalesce((p->>'fallbackMs')::numeric, 0))) / 1000.0));
  if p->>'subject' in ('attachment.added', 'delivery.queued', 'projection.requested') then return null; end if;
  return attache_live_owner(p->'data'->>'sessionId');
end $$;

-- Settles a message of the transaction's tenant in the transaction of its effects: no more is to be said of it. It may not be there.
create or replace function attache_settle_message(p_id uuid) returns void language plpgsql as $$
declare tenant uuid := (select attache_tenant_id());
begin
  perform set_config('role', attache_worker_role(), true);
  update outbox set state = 'done', claimed_until = null, settled_at = now() where tenant_id = tenant and id = p_id and state in ('waiting', 'published');
  perform set_config('role', attache_app_role(), true);
end $$;

-- What a ring is worked on for waits on: its relay does not take it for lost.
create or replace function attache_hold_messages(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter_worker();
  perform set_config('synchronous_commit', 'off', true);
  with locked as (
    select o.tenant_id, o.id from outbox o join jsonb_to_recordset(p->'messages') as m("tenantId" uuid, id uuid) on o.tenant_id = m."tenantId" and o.id = m.id
      where o.state = 'waiting' and o.emission = 0 and o.claimed_until is null order by o.tenant_id, o.id for update of o skip locked)
  update outbox o set available_at = now() + make_interval(secs => (p->>'holdMs')::int / 1000.0) from locked
    where o.tenant_id = locked.tenant_id and o.id = locked.id;
  return 'null'::jsonb;
end $$;

-- Whether this consumer handles the event for the first time; in the transaction of the effects (W8).
create or replace function attache_mark_handled(p_event uuid, p_consumer text) returns boolean language plpgsql as $$
declare tenant uuid := (select attache_tenant_id()); first_time boolean;
begin
  perform set_config('role', attache_worker_role(), true);
  insert into inbox (tenant_id, event_id, consumer) values (tenant, p_event, p_consumer) on conflict do nothing returning true into first_time;
  perform set_config('role', attache_app_role(), true);
  return coalesce(first_time, false);
end $$;

-- Counts the attempt that begins, where a broker brings a message again, and the first one of its emission: `before` had counted when that was given
-- out. Null: the message is settled, or was emitted anew.
create or replace function attache_count_attempt(p jsonb) returns jsonb language plpgsql as $$
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

-- Claims messages for a consumer: hidden from others until the lease ends. Of those that were claimed before no more than `again`: one that kills its
-- process takes no others with it each time.
create or replace function attache_claim_messages(p jsonb) returns jsonb language plpgsql as $$
declare claimed jsonb; wanted text[] := array(select jsonb_array_elements_text(p->'subjects'));
begin
  perform attache_enter_worker();
  -- What waits is in an index; the table also holds what is done.
  perform set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true);
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

-- Keeps claimed messages hidden while they are worked on, each by the attempt that holds it.
create or replace function attache_extend_claims(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter_worker();
  update outbox o set claimed_until = now() + make_interval(secs => (p->>'leaseMs')::int / 1000.0)
    from jsonb_to_recordset(p->'messages') as m("tenantId" uuid, id uuid, attempt int)
    where o.tenant_id = m."tenantId" and o.id = m.id and o.state = 'waiting' and o.claimed_until is not null and o.attempts = m.attempt;
  return 'null'::jsonb;
end $$;

-- Lets a message wait again, for `delayMs` or twice as long each time, under the message id of its next emission. `attempts` is added to those that
-- count. Answers the delay in milliseconds; null where it was settled or emitted anew meanwhile.
create or replace function attache_defer_message(p jsonb) returns jsonb language plpgsql as $$
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

-- Settles many messages as done. Answers the subjects under which a message of the same tenant waits for the room that this makes.
create or replace function attache_settle_many(p jsonb) returns jsonb language plpgsql as $$
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
      where o.tenant_id = locked.tenant_id and o.id = locked.id),
  -- Those too that were settled with their effect.
  named as (
    select distinct o.tenant_id, o.subject from outbox o join jsonb_to_recordset(p) as m("tenantId" uuid, id uuid) on o.tenant_id = m."tenantId" and o.id = m.id)
  select coalesce(jsonb_agg(distinct s.subject), '[]'::jsonb) into roomy from named s
    where exists (select 1 from outbox w where w.state = 'waiting' and w.subject = s.subject and w.tenant_id = s.tenant_id and w.claimed_until is null
      and w.available_at <= now() + interval '1 millisecond' and not (w.tenant_id, w.id) in (select l.tenant_id, l.id from locked l));
  return roomy;
end $$;

-- Claims for a relay: from every lane as many as its window has room for, tenants in turn, each one's oldest first. Two relays that claim in the same
-- instant may overshoot a window by one claim. `isHeld`: a lane is full, or was filled.
create or replace function attache_control_claim_many(p jsonb) returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare claimed jsonb; held boolean; room int := (p->>'windowPerTenant')::int;
begin
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

-- The same. As a rule few messages wait, all of which are claimed: that needs no turns, and a fraction of the plan.
create or replace function attache_control_claim(p jsonb) returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare tenants uuid[]; ids uuid[]; subjects text[]; room int := (p->>'windowPerTenant')::int; left_over int := (p->>'limit')::int;
  free int; taken jsonb; claimed jsonb := '[]'; held boolean := false; setting text;
begin
  -- The partial indexes hold what waits and what is out; the table also holds what is done.
  setting := set_config('enable_seqscan', 'off', true);
  setting := set_config('plan_cache_mode', 'force_generic_plan', true);
  select array_agg(w.tenant_id order by w.created_at, w.id), array_agg(w.id order by w.created_at, w.id), array_agg(w.subject order by w.created_at, w.id)
    into tenants, ids, subjects from (
      select o.tenant_id, o.id, o.subject, o.created_at from outbox o
        where o.state = 'waiting' and o.subject in (select jsonb_array_elements_text(p->'subjects'))
          and o.available_at <= now() + interval '1 millisecond' and (o.claimed_until is null or o.claimed_until < now())
        limit 9) w;
  if cardinality(ids) > 8 then return attache_control_claim_many(p); end if;
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

create or replace function attache_relay_claim(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter(null);
  return attache_control_claim(p);
end $$;

-- Called by nobody but `attache_relay_claim` of the release before.
create or replace function attache_relay_claim_many(p jsonb) returns jsonb language plpgsql as $$ begin return attache_relay_claim(p); end $$;

-- Marks what the broker has acknowledged, unless it is settled already or was emitted anew.
create or replace function attache_control_published(p jsonb) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  with locked as (
    select o.tenant_id, o.id from outbox o join jsonb_to_recordset(p) as m("tenantId" uuid, id uuid, emission int)
      on o.tenant_id = m."tenantId" and o.id = m.id
      where o.state = 'waiting' and o.emission = m.emission order by o.tenant_id, o.id for update of o)
  update outbox o set state = 'published', published_at = now(), claimed_until = null from locked where o.tenant_id = locked.tenant_id and o.id = locked.id;
end $$;

create or replace function attache_relay_published(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter(null);
  perform attache_control_published(p);
  return 'null'::jsonb;
end $$;

-- Gives back what could not be published.
create or replace function attache_control_return(p jsonb) returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  with locked as (
    select o.tenant_id, o.id from outbox o join jsonb_to_recordset(p) as m("tenantId" uuid, id uuid, emission int)
      on o.tenant_id = m."tenantId" and o.id = m.id
      where o.state = 'waiting' and o.emission = m.emission order by o.tenant_id, o.id for update of o)
  update outbox o set claimed_until = null from locked where o.tenant_id = locked.tenant_id and o.id = locked.id;
end $$;

create or replace function attache_relay_return(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter(null);
  perform attache_control_return(p);
  return 'null'::jsonb;
end $$;

-- A consumer still works on these: they are not lost.
create or replace function attache_relay_touch(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter_worker();
  perform set_config('synchronous_commit', 'off', true);
  update outbox set published_at = now() where tenant_id = (p->>'tenantId')::uuid and id = (p->>'id')::uuid and state = 'published';
  return 'null'::jsonb;
end $$;

-- What was published and not settled in time may be lost (W7): it waits again, under the message id of its next emission. Each time it is given twice
-- as long; what a consumer put back was not lost.
create or replace function attache_control_reconcile(p jsonb) returns int language plpgsql security definer set search_path = public, pg_temp as $$
declare lost int;
begin
  with overdue as (
    select o.tenant_id, o.id from outbox o
      where o.state = 'published' and o.subject in (select jsonb_array_elements_text(p->'subjects'))
        and o.published_at < now() - make_interval(secs => (p->>'afterMs')::int / 1000.0 * power(2, least(o.emission - o.deferrals, 6)))
      order by o.published_at limit 500 for update skip locked)
  update outbox o set state = 'waiting', emission = o.emission + 1, published_at = null, claimed_until = null
    from overdue where o.tenant_id = overdue.tenant_id and o.id = overdue.id;
  get diagnostics lost = row_count;
  return lost;
end $$;

create or replace function attache_relay_reconcile(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter(null);
  return to_jsonb(attache_control_reconcile(p));
end $$;

create or replace function attache_control_backlog(p_subjects text[]) returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare backlog jsonb;
begin
  select jsonb_build_object('waiting', count(*), 'oldestMs', coalesce(greatest(0, floor(extract(epoch from now() - min(o.created_at)) * 1000)), 0),
           'published', (select count(*) from outbox i where i.state = 'published' and i.subject = any(p_subjects)))
    -- What was rung for and waits in case that the ring is lost is no backlog yet.
    into backlog from outbox o where o.state = 'waiting' and o.subject = any(p_subjects)
      and (o.available_at <= now() + interval '1 millisecond' or o.emission > 0 or o.attempts > 0);
  return backlog;
end $$;

create or replace function attache_relay_backlog(p_subjects text[]) returns jsonb language plpgsql as $$
begin
  perform attache_enter(null);
  return attache_control_backlog(p_subjects);
end $$;

-- Claims messages for a consumer. Called by processes of a release before `attache_claim_messages`.
create or replace function attache_claim_outbox(p_subjects text[], p_limit int, p_lease_ms int) returns jsonb language plpgsql as $$
declare claimed jsonb;
begin
  perform attache_enter_worker();
  with next as (
    select tenant_id, id from outbox
      -- Stored times are rounded to milliseconds, up too.
      where state = 'waiting' and subject = any(p_subjects) and available_at <= now() + interval '1 millisecond' and (claimed_until is null or claimed_until < now())
      order by created_at, id limit p_limit for update skip locked),
  taken as (
    update outbox o set claimed_until = now() + make_interval(secs => p_lease_ms / 1000.0), attempts = o.attempts + 1
      from next where o.tenant_id = next.tenant_id and o.id = next.id
      returning o.tenant_id, o.id, o.subject, o.data, o.trace, o.attempts, o.created_at)
  select coalesce(jsonb_agg(jsonb_build_object('tenantId', tenant_id, 'id', id, 'subject', subject, 'data', data, 'trace', trace, 'attempt', attempts)
           order by created_at, id), '[]'::jsonb) into claimed from taken;
  return claimed;
end $$;
