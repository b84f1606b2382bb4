-- Settles a message of the transaction's tenant as dead, with the letter that an operator reads. False: it was settled before, or another attempt has
-- it.
create or replace function attache_bury_message(p jsonb) returns boolean language plpgsql as $$
declare tenant uuid := (select attache_tenant_id()); buried boolean;
begin
  perform set_config('role', attache_worker_role(), true);
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
  perform set_config('role', attache_app_role(), true);
  return coalesce(buried, false);
end $$;

-- Lets a dead letter of the transaction's tenant wait again, under the message id of its next emission. What the consumer has handled stays in its
-- inbox.
create or replace function attache_replay_letter(p jsonb) returns jsonb language plpgsql as $$
declare tenant uuid := (select attache_tenant_id()); letter dead_letter%rowtype; outcome text := 'replayed';
begin
  perform set_config('role', attache_worker_role(), true);
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
  perform set_config('role', attache_app_role(), true);
  return to_jsonb(outcome);
end $$;

-- Settles one message: done, waiting again after a delay, or dead with a reason that the operator can read. `attempts` is the broker's count, where
-- one counts. Called by processes of a release before `attache_defer_message` and `attache_bury_message`.
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

-- Lets a dead letter wait again. Called by processes of a release before `attache_replay_letter`.
create or replace function attache_replay_dead_letter(p jsonb) returns jsonb language plpgsql as $$
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

-- How many dead letters of all tenants wait for the operator.
create or replace function attache_control_count_dead() returns bigint language sql stable security definer set search_path = public, pg_temp as
$$ select count(*) from dead_letter where replayed_at is null $$;

create or replace function attache_count_dead() returns jsonb language plpgsql as $$
begin
  perform attache_enter(null);
  return to_jsonb(attache_control_count_dead());
end $$;
