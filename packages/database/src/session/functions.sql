-- Holds a session as active until the transaction ends. Nothing that a caller asked for comes after `session.ended`.
create or replace function attache_hold_active(p_session uuid) returns void language plpgsql as $$
begin
  perform 1 from session where tenant_id = (select attache_tenant_id()) and id = p_session and status = 'active' and deleted_at is null for no key update;
  if not found then raise exception 'attache: the session has ended' using errcode = 'AT001'; end if;
end $$;

-- Appends events in order. The sequence is taken by an update, so that seq order is commit order; nothing may wait after it.
create or replace function attache_append_events(p_session uuid, p_events jsonb) returns bigint language plpgsql as $$
declare last bigint; n int := jsonb_array_length(p_events);
begin
  update session set last_seq = last_seq + n where tenant_id = (select attache_tenant_id()) and id = p_session returning last_seq into last;
  if last is null then raise exception 'attache: no such session' using errcode = 'P0002'; end if;
  insert into session_log (tenant_id, session_id, seq, id, at, kind, actor, trace_id, data, schema_version)
    select attache_tenant_id(), p_session, last - n + e.position, (e.value->>'id')::uuid, coalesce((e.value->>'at')::timestamptz, now()), e.value->>'kind',
           e.value->'actor', e.value->>'traceId', e.value->'data', 1
      from jsonb_array_elements(p_events) with ordinality as e(value, position);
  return last;
end $$;

-- Appends what a caller asked for. What the system itself has to say is still appended to a session that has ended.
create or replace function attache_append_as_caller(p_session uuid, p_events jsonb) returns bigint language plpgsql as $$
begin
  perform attache_hold_active(p_session);
  return attache_append_events(p_session, p_events);
end $$;

-- Appends events while this incarnation owns the session. For processes of the release before.
create or replace function attache_append_as_owner(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return to_jsonb('ownership-lost'::text);
  end if;
  if (p->>'isRepeated')::boolean and exists (select 1 from session_log where tenant_id = (select attache_tenant_id())
      and session_id = (p->>'sessionId')::uuid and id = (p->'events'->0->>'id')::uuid) then
    return to_jsonb('appended'::text);
  end if;
  perform attache_append_events((p->>'sessionId')::uuid, p->'events');
  return to_jsonb('appended'::text);
end $$;

create or replace function attache_read_events(p jsonb) returns jsonb language plpgsql set plan_cache_mode = force_generic_plan as $$
declare found jsonb;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  select coalesce(jsonb_agg(to_jsonb(e) order by e.seq), '[]'::jsonb) into found from (
    select * from session_log where tenant_id = (select attache_tenant_id()) and session_id = (p->>'sessionId')::uuid and seq > (p->>'afterSeq')::bigint
      order by seq limit (p->>'limit')::int) e;
  return found;
end $$;

-- What a reader of a session's log begins with; null where there is no such session. Inside a tenant.
create or replace function attache_log_terms(p_session uuid) returns jsonb language sql stable as $$
  select jsonb_build_object('lastSeq', s.last_seq) from session s where s.tenant_id = (select attache_tenant_id()) and s.id = p_session and s.deleted_at is null
$$;

-- One look-up for a session token: what its user may do in the session now. Null where the session, the participant or the tenant is gone or
-- suspended, and where the token has ended: by a later generation of the session's tokens or of the participant's, or with the key that made it.
create or replace function attache_find_token_holder(p jsonb) returns jsonb language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform attache_enter((p->>'tenantId')::uuid);
  return (select jsonb_build_object('rights', to_jsonb(m.rights), 'maxUploadBytes', t.max_upload_bytes, 'urlGeneration', t.url_generation,
      'isSessionEnded', s.status = 'ended')
      || case when (p->>'isUpload')::boolean then jsonb_build_object('upload', attache_upload_terms(s.id)) else '{}'::jsonb end
      || case when p ? 'named' then jsonb_build_object('named', attache_named(p->'named')) else '{}'::jsonb end
      || case when (p->>'isLog')::boolean then jsonb_build_object('log', attache_log_terms(s.id)) else '{}'::jsonb end
    from participant m
      join session s on s.tenant_id = m.tenant_id and s.id = m.session_id and s.deleted_at is null
      join tenant t on t.tenant_id = m.tenant_id and t.deleted_at is null and t.suspended_at is null
    where m.tenant_id = (select attache_tenant_id()) and m.session_id = (p->>'sessionId')::uuid and m.user_id = (p->>'userId')::uuid
      and s.token_generation = (p->>'sessionGeneration')::int and m.token_generation = (p->>'participantGeneration')::int
      and not exists (select 1 from api_key k where k.tenant_id = (select attache_tenant_id()) and k.id = (p->>'keyId')::uuid and k.revoked_at is not null));
end $$;

-- For processes of the release before.
create or replace function attache_find_participant(p_tenant uuid, p_session uuid, p_user uuid) returns jsonb language plpgsql as $$
begin
  perform attache_enter(p_tenant);
  return (select jsonb_build_object('rights', to_jsonb(p.rights), 'maxUploadBytes', t.max_upload_bytes)
    from participant p
      join session s on s.tenant_id = p.tenant_id and s.id = p.session_id and s.deleted_at is null
      join tenant t on t.tenant_id = p.tenant_id and t.deleted_at is null and t.suspended_at is null
    where p.tenant_id = p_tenant and p.session_id = p_session and p.user_id = p_user);
end $$;

-- Holds the owner row against a take-over until the transaction ends. False for a lower epoch: the holder must stop itself.
create or replace function attache_hold_epoch(p_session uuid, p_incarnation uuid, p_epoch bigint) returns boolean language plpgsql as $$
declare tenant uuid := (select attache_tenant_id()); held boolean;
begin
  perform set_config('role', attache_worker_role(), true);
  select true into held from session_owner where tenant_id = tenant and session_id = p_session and incarnation = p_incarnation and epoch = p_epoch
    and released_at is null for share;
  perform set_config('role', attache_app_role(), true);
  return coalesce(held, false);
end $$;

-- Whether a process still renews its lease.
create or replace function attache_is_alive(p_incarnation uuid) returns boolean language sql stable security definer set search_path = public, pg_temp as
$$ select exists (select 1 from replica where incarnation = p_incarnation and lease_until > now()) $$;

-- When the lease of a process ends, or has ended; null where another one has its name by now.
create or replace function attache_lease_end(p_incarnation uuid) returns timestamptz language sql stable security definer set search_path = public, pg_temp as
$$ select lease_until from replica where incarnation = p_incarnation $$;

-- Whether a gateway of this name renews its lease and takes sessions.
create or replace function attache_is_active(p_replica text) returns boolean language sql stable security definer set search_path = public, pg_temp as
$$ select exists (select 1 from replica where id = p_replica and lease_until > now() and state = 'active') $$;

-- Incarnation of the gateway that owns a session of the transaction's tenant and renews its lease; of one that nobody owns, of the gateway that had it last and takes
-- sessions: there its agents' folders are. Where an operator wants it elsewhere, of the one that was named. Null where there is none. It may be another one by the
-- time that it is asked. `p_session` may be anything.
create or replace function attache_live_owner(p_session text) returns uuid language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return (select case when o.released_at is null or o.move_to is null
       then (select r.incarnation from replica r where r.incarnation = o.incarnation and r.lease_until > now() and (o.released_at is null or r.state = 'active'))
       else (select r.incarnation from replica r where r.id = o.move_to and r.lease_until > now() and r.state = 'active') end
     from session_owner o where o.tenant_id = (select attache_tenant_id())
       and o.session_id = (case when p_session ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p_session end)::uuid);
end $$;

-- The same for a gateway that could not take a session.
create or replace function attache_find_owner(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter((p->>'tenantId')::uuid);
  return to_jsonb(attache_live_owner(p->>'sessionId'));
end $$;

-- Takes the name of a replica for an incarnation. It is held while the lease of another one runs, unless that one is known to be dead.
create or replace function attache_control_take_lease(p jsonb) returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare r replica%rowtype; new_incarnation uuid := (p->>'incarnation')::uuid; lease interval := make_interval(secs => (p->>'leaseMs')::int / 1000.0);
begin
  -- Whoever has the login of ingest, which the public reaches, takes no gateway's name.
  if session_user = 'attache_ingest' and p->>'replicaId' not like 'ingest-%' then
    raise exception 'attache: this login takes no such name' using errcode = 'insufficient_privilege';
  end if;
  insert into replica (id, incarnation, state, lease_until) values (p->>'replicaId', new_incarnation, 'active', now() + lease) on conflict (id) do nothing;
  if found then return jsonb_build_object('outcome', 'taken'); end if;
  select * into r from replica where id = p->>'replicaId' for update;
  if r.lease_until > now() and r.incarnation <> new_incarnation and r.incarnation is distinct from (p->>'deadIncarnation')::uuid then
    return jsonb_build_object('outcome', 'held', 'incarnation', r.incarnation, 'leaseUntil', r.lease_until,
      'leftMs', ceil(extract(epoch from r.lease_until - now()) * 1000));
  end if;
  update replica set incarnation = new_incarnation, state = 'active', lease_until = now() + lease, started_at = now(), drain_asked_at = null, placement = null
    where id = r.id;
  return jsonb_build_object('outcome', 'taken');
end $$;

-- Notes that the process of an incarnation has died with the sessions that it owned. Whoever only lost its lease, or ended as it should, has not.
create or replace function attache_note_death(p_incarnation uuid) returns void language plpgsql as $$
begin
  perform attache_enter_worker();
  update session_owner set died_at = now() where incarnation = p_incarnation and released_at is null and died_at is null;
end $$;

create or replace function attache_take_replica(p jsonb) returns jsonb language plpgsql as $$
declare taken jsonb;
begin
  perform attache_enter(null);
  taken := attache_control_take_lease(p);
  if taken->>'outcome' = 'taken' and p ? 'deadIncarnation' then perform attache_note_death((p->>'deadIncarnation')::uuid); end if;
  return taken;
end $$;

-- Renews a lease. 'lapsed': it had ended, so that sessions may have gone to others. 'lost': another incarnation has the name by now.
create or replace function attache_control_renew_lease(p jsonb) returns text language plpgsql security definer set search_path = public, pg_temp as $$
declare r replica%rowtype;
begin
  if session_user = 'attache_ingest' and p->>'replicaId' not like 'ingest-%' then return 'lost'; end if;
  select * into r from replica where id = p->>'replicaId' for update;
  if not found or r.incarnation <> (p->>'incarnation')::uuid then return 'lost'; end if;
  -- Cut off, not rounded: a lease that ends now has ended for whoever looks in the same millisecond.
  update replica set state = p->>'state', lease_until = date_trunc('milliseconds', now() + make_interval(secs => (p->>'leaseMs')::int / 1000.0)) where id = r.id;
  return case when r.lease_until < now() then 'lapsed' else 'renewed' end;
end $$;

create or replace function attache_renew_lease(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter(null);
  return to_jsonb(attache_control_renew_lease(p));
end $$;

-- The other gateways that renew their leases, take sessions and have said what they have room for.
create or replace function attache_other_gateways(p_replica text) returns jsonb language sql stable security definer set search_path = public, pg_temp as
$$ select coalesce(jsonb_agg(r.placement || jsonb_build_object('replicaId', r.id, 'incarnation', r.incarnation)), '[]'::jsonb) from replica r
     where r.id <> p_replica and r.id not like 'ingest-%' and r.lease_until > now() and r.state = 'active' and r.placement is not null $$;

-- Renews the lease of a gateway: for `leaseMs`, or for `aloneMs` while no other gateway lives to which its sessions could go. 'lapsed' and 'lost' are as
-- above. Whoever wants another state of it says so, and what it has room for; what an operator has asked for is answered, and where else agents may be placed.
create or replace function attache_control_keep_lease(p jsonb) returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
declare r replica%rowtype; lease_ms int := (p->>'leaseMs')::int;
begin
  if session_user = 'attache_ingest' then return jsonb_build_object('renewal', 'lost', 'leaseMs', 0, 'isDrainAsked', false, 'others', '[]'::jsonb); end if;
  select * into r from replica where id = p->>'replicaId' for update;
  if not found or r.incarnation <> (p->>'incarnation')::uuid then return jsonb_build_object('renewal', 'lost', 'leaseMs', 0, 'isDrainAsked', false, 'others', '[]'::jsonb); end if;
  if not exists (select 1 from replica o where o.id <> r.id and o.id not like 'ingest-%' and o.lease_until > now()) then
    lease_ms := greatest(lease_ms, (p->>'aloneMs')::int);
  end if;
  update replica set state = p->>'state', lease_until = now() + make_interval(secs => lease_ms / 1000.0), placement = coalesce(p->'placement', placement)
    where id = r.id;
  return jsonb_build_object('renewal', case when r.lease_until < now() then 'lapsed' else 'renewed' end, 'leaseMs', lease_ms,
    'isDrainAsked', r.drain_asked_at is not null, 'others', attache_other_gateways(r.id));
end $$;

-- The same, and which sessions of this gateway an operator wants elsewhere.
create or replace function attache_keep_lease(p jsonb) returns jsonb language plpgsql as $$
declare kept jsonb; moves jsonb;
begin
  perform attache_enter(null);
  kept := attache_control_keep_lease(p);
  perform attache_enter_worker();
  select coalesce(jsonb_agg(jsonb_build_object('tenantId', o.tenant_id, 'sessionId', o.session_id)), '[]'::jsonb) into moves from (
    select tenant_id, session_id from session_owner
      where incarnation = (p->>'incarnation')::uuid and released_at is null and move_to is not null limit 100) o;
  return kept || jsonb_build_object('moves', moves);
end $$;

-- Whether an operator wants another gateway than this one to take a session, which lives and has had less than half a minute for that.
create or replace function attache_is_promised(o session_owner, p_replica text) returns boolean language plpgsql stable as $$
begin
  return o.move_to <> p_replica and o.move_asked_at > now() - interval '30 seconds' and attache_is_active(o.move_to);
end $$;

-- How many of these agents of the transaction's tenant have a subprocess: they are named by their sessions and by the gateways that ran them last. A gateway
-- that does not own the session any more, or is gone, runs none in it.
create or replace function attache_count_living(p_agents jsonb) returns int language sql stable security definer set search_path = public, pg_temp as
$$ select count(*)::int from jsonb_to_recordset(p_agents) as a(session uuid, by uuid)
     join session_owner o on o.tenant_id = (select attache_tenant_id()) and o.session_id = a.session and o.incarnation = a.by and o.released_at is null
     join replica r on r.incarnation = o.incarnation and r.lease_until > now() $$;

-- Whether the tenant of the transaction runs as many agents as it may, without this one.
create or replace function attache_is_at_limit(p_agent uuid) returns boolean language plpgsql volatile as $$
declare most int; candidates jsonb;
begin
  select max_live_agents into most from tenant where tenant_id = (select attache_tenant_id());
  if most is null then return false; end if;
  select coalesce(jsonb_agg(jsonb_build_object('session', a.session_id, 'by', a.live_by)), '[]'::jsonb) into candidates from agent a
    where a.tenant_id = (select attache_tenant_id()) and a.live_by is not null and a.id <> p_agent;
  return attache_count_living(candidates) >= most;
end $$;

-- Notes under the fence that an agent is about to get a subprocess. 'full': its tenant runs as many as it may.
create or replace function attache_admit_agent(p jsonb) returns jsonb language plpgsql as $$
declare the_agent uuid := (p->>'agentId')::uuid; holder uuid := (p->'fence'->>'incarnation')::uuid;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_hold_epoch((p->>'sessionId')::uuid, holder, (p->'fence'->>'epoch')::bigint) then return to_jsonb('ownership-lost'::text); end if;
  -- One after the other, so that two gateways do not take the last place both.
  if exists (select 1 from tenant where tenant_id = (select attache_tenant_id()) and max_live_agents is not null) then
    perform pg_advisory_xact_lock(hashtextextended('attache: live agents of ' || (p->>'tenantId'), 0));
  end if;
  if attache_is_at_limit(the_agent) then return to_jsonb('full'::text); end if;
  update agent set live_by = holder where tenant_id = (select attache_tenant_id()) and id = the_agent and live_by is distinct from holder;
  return to_jsonb('admitted'::text);
end $$;

-- Where an agent of a profile could be placed that has no subprocess, or that this one's owner runs: `owner` is the incarnation that owns the session and lives.
create or replace function attache_find_places(p_session uuid, p_profile text) returns jsonb language plpgsql stable security definer set search_path = public, pg_temp as $$
declare tenant uuid := (select attache_tenant_id()); holder replica%rowtype; found jsonb;
begin
  select r.* into holder from session_owner o join replica r on r.incarnation = o.incarnation and r.lease_until > now()
    where o.tenant_id = tenant and o.session_id = p_session and o.released_at is null;
  select jsonb_build_object('count', count(*), 'withProgram', count(*) filter (where r.placement->'programs' ? p_profile),
      'withRoom', count(*) filter (where r.placement->'programs' ? p_profile and (r.placement->>'room')::int > 0)) into found from replica r
    where r.id not like 'ingest-%' and r.lease_until > now() and r.state = 'active' and r.placement is not null
      and coalesce(r.placement->>'onlyTenant', tenant::text) = tenant::text;
  return found || jsonb_build_object('owner', holder.incarnation,
    'ownerTakesIt', coalesce(holder.placement->'programs' ? p_profile and (holder.placement->>'room')::int > 0, false));
end $$;

-- Ends the lease of a gateway whose process has died, where it is still that one's.
create or replace function attache_end_lease(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter(null);
  perform attache_control_renew_lease(p || jsonb_build_object('leaseMs', 0, 'state', 'gone'));
  perform attache_note_death((p->>'incarnation')::uuid);
  return 'null'::jsonb;
end $$;

-- Counts the gateways in a row that died while a delivery of this session was under way: an answered delivery in between begins the count again. The
-- owner row is locked by the caller. Inside a tenant.
create or replace function attache_count_death(o session_owner) returns jsonb language plpgsql as $$
declare is_first boolean; last bigint;
begin
  if not exists (select 1 from delivery where tenant_id = o.tenant_id and session_id = o.session_id and status in ('claimed', 'written')) then
    return jsonb_build_object('deaths', o.deaths, 'seq', o.died_seq);
  end if;
  is_first := o.deaths = 0 or exists (select 1 from session_log l where l.tenant_id = o.tenant_id and l.session_id = o.session_id and l.seq > o.died_seq
    and l.kind = 'delivery.responded');
  select last_seq into last from session where tenant_id = o.tenant_id and id = o.session_id;
  return jsonb_build_object('deaths', case when is_first then 1 else o.deaths + 1 end, 'seq', last);
end $$;

-- Sessions whose owners did not let go of them and renew no lease, at most `limit`; of one tenant where `onlyTenant` names it. Those of `incarnation` itself are not
-- among them. What it costs grows with the number of owners alone.
create or replace function attache_orphaned_sessions(p jsonb) returns jsonb language plpgsql as $$
declare owner uuid; orphans jsonb := '[]'; left_over int := (p->>'limit')::int; of_owner jsonb;
begin
  perform attache_enter_worker();
  perform set_config('enable_seqscan', 'off', true);
  -- What has no index, as a table of a few rows, seems dear enough then to be compiled.
  perform set_config('jit', 'off', true);
  loop
    -- Two statements: a plan for both cases would read every owner.
    if owner is null then select o.incarnation into owner from session_owner o where o.released_at is null order by o.incarnation limit 1;
    else select o.incarnation into owner from session_owner o where o.released_at is null and o.incarnation > owner order by o.incarnation limit 1;
    end if;
    exit when not found or left_over <= 0;
    continue when owner = (p->>'incarnation')::uuid or attache_is_alive(owner);
    select coalesce(jsonb_agg(jsonb_build_object('tenantId', f.tenant_id, 'sessionId', f.session_id)), '[]'::jsonb) into of_owner from (
      select o.tenant_id, o.session_id from session_owner o where o.incarnation = owner and o.released_at is null
        and (not p ? 'onlyTenant' or o.tenant_id = (p->>'onlyTenant')::uuid) limit left_over) f;
    orphans := orphans || of_owner;
    left_over := left_over - jsonb_array_length(of_owner);
  end loop;
  return orphans;
end $$;

-- Takes or keeps a session for an incarnation; each time that it changes hands the epoch rises. None is taken from one whose lease runs, whatever its
-- name. `isTakenOver`: its last owner did not let go of it, so that what that one had begun is still to be settled. `isAgain`: this incarnation itself is that
-- one, and has stopped all that it had begun. `deaths`: how many gateways in a row died over it. `goneMs`: since when nobody living owned it, where that is known.
create or replace function attache_claim_session(p jsonb) returns jsonb language plpgsql as $$
declare o session_owner%rowtype; new_incarnation uuid := (p->>'incarnation')::uuid; tenant uuid := (p->>'tenantId')::uuid; died jsonb;
begin
  perform attache_enter(tenant);
  perform set_config('role', attache_worker_role(), true);
  insert into session_owner (tenant_id, session_id, replica_id, incarnation, epoch)
    values (tenant, (p->>'sessionId')::uuid, p->>'replicaId', new_incarnation, 1) on conflict (tenant_id, session_id) do nothing;
  if found then return jsonb_build_object('epoch', 1, 'isTakenOver', false, 'deaths', 0); end if;
  select * into o from session_owner where tenant_id = tenant and session_id = (p->>'sessionId')::uuid for update;
  died := jsonb_build_object('deaths', o.deaths, 'seq', o.died_seq);
  if o.move_to is not null and (o.incarnation <> new_incarnation or o.released_at is not null) and attache_is_promised(o, p->>'replicaId') then
    return jsonb_build_object('epoch', null, 'isTakenOver', false, 'deaths', o.deaths);
  end if;
  if o.released_at is null then
    if o.incarnation = new_incarnation then
      if not coalesce((p->>'isAgain')::boolean, false) then return jsonb_build_object('epoch', o.epoch, 'isTakenOver', false, 'deaths', o.deaths); end if;
    elsif attache_is_alive(o.incarnation) then
      return jsonb_build_object('epoch', null, 'isTakenOver', false, 'deaths', o.deaths);
    elsif o.died_at is not null then
      perform set_config('role', attache_app_role(), true);
      died := attache_count_death(o);
      perform set_config('role', attache_worker_role(), true);
    end if;
  end if;
  update session_owner set replica_id = p->>'replicaId', incarnation = new_incarnation, released_at = null, epoch = o.epoch + 1, move_to = null, died_at = null,
      deaths = (died->>'deaths')::int, died_seq = (died->>'seq')::bigint
    where tenant_id = o.tenant_id and session_id = o.session_id;
  return jsonb_strip_nulls(jsonb_build_object('epoch', o.epoch + 1, 'isTakenOver', o.released_at is null, 'deaths', (died->>'deaths')::int,
    'goneMs', case when o.released_at is null and o.incarnation <> new_incarnation then
      round(extract(epoch from now() - coalesce(o.died_at, attache_lease_end(o.incarnation))) * 1000) end));
end $$;

-- Lets go of a session in which nothing is under way. False: a delivery is, or it is not this incarnation's. Of one that has ended no row stays. With
-- `handsOver` deliveries may wait in it: it is nobody's then, and whoever looks for such sessions takes it over.
create or replace function attache_release_session(p jsonb) returns jsonb language plpgsql as $$
declare tenant uuid := (p->>'tenantId')::uuid; the_session uuid := (p->>'sessionId')::uuid; has_ended boolean; waits boolean := false;
  hands_over boolean := coalesce((p->>'handsOver')::boolean, false);
begin
  perform attache_enter(tenant);
  perform set_config('role', attache_worker_role(), true);
  perform 1 from session_owner where tenant_id = tenant and session_id = the_session and incarnation = (p->>'incarnation')::uuid and released_at is null for update;
  if not found then return to_jsonb(false); end if;
  perform set_config('role', attache_app_role(), true);
  if exists (select 1 from delivery where tenant_id = tenant and session_id = the_session and status in ('claimed', 'written')) then return to_jsonb(false); end if;
  waits := exists (select 1 from delivery where tenant_id = tenant and session_id = the_session and status = 'prepared');
  if waits and not hands_over then return to_jsonb(false); end if;
  has_ended := not exists (select 1 from session where tenant_id = tenant and id = the_session and status = 'active');
  perform set_config('role', attache_worker_role(), true);
  if waits then
    update session_owner set incarnation = '00000000-0000-0000-0000-000000000000' where tenant_id = tenant and session_id = the_session;
  elsif has_ended then
    delete from session_owner where tenant_id = tenant and session_id = the_session;
  else
    update session_owner set released_at = now() where tenant_id = tenant and session_id = the_session;
  end if;
  return to_jsonb(true);
end $$;

-- Parks a session that killed gateway after gateway, under the fence: nothing of it is delivered until an operator lets it go on. Answers whether it is parked now.
create or replace function attache_park_session(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then return to_jsonb(false); end if;
  update session set parked_at = now() where tenant_id = (select attache_tenant_id()) and id = (p->>'sessionId')::uuid and status = 'active' and parked_at is null;
  if found then perform attache_append_events((p->>'sessionId')::uuid, p->'events'); end if;
  return to_jsonb(exists (select 1 from session where tenant_id = (select attache_tenant_id()) and id = (p->>'sessionId')::uuid and parked_at is not null));
end $$;

-- Removes what sessions of a tenant said that ended before the given time: their log and the timelines of their deliveries, at most `limit` rows.
-- What is under a legal hold stays, and what a delivery may still need. Answers how many rows went, and whether there are no more.
create or replace function attache_prune_sessions(p jsonb) returns jsonb language plpgsql security definer set search_path = public, pg_temp as $$
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

-- Invalidates what the programs of all agents remember that could ever read a file. Returns these agents. For a trigger, whose row names the tenant.
create or replace function attache_outdate_memory(p_tenant uuid, p_attachment uuid) returns uuid[] language plpgsql as $$
declare outdated uuid[];
begin
  with changed as (
    update agent a set memory_version = a.memory_version + 1 where a.tenant_id = p_tenant and a.removed_at is null and a.id in (
        select g.agent_id from access_grant g where g.tenant_id = p_tenant and g.attachment_id = p_attachment)
      returning a.id)
  select coalesce(array_agg(c.id), '{}') into outdated from changed c;
  return outdated;
end $$;
