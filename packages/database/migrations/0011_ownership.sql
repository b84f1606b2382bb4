CREATE INDEX "session_owner_incarnation" ON "session_owner" USING btree ("incarnation") WHERE released_at is null;--> statement-breakpoint
-- Takes the name of a replica for an incarnation. It is held while the lease of another one runs, unless that one is known to be dead.
create function attache_take_replica(p jsonb) returns jsonb language plpgsql as $$
declare r replica%rowtype; new_incarnation uuid := (p->>'incarnation')::uuid; lease interval := make_interval(secs => (p->>'leaseMs')::int / 1000.0);
begin
  perform attache_enter_worker();
  insert into replica (id, incarnation, state, lease_until) values (p->>'replicaId', new_incarnation, 'active', now() + lease) on conflict (id) do nothing;
  if found then return jsonb_build_object('outcome', 'taken'); end if;
  select * into r from replica where id = p->>'replicaId' for update;
  if r.lease_until > now() and r.incarnation <> new_incarnation and r.incarnation is distinct from (p->>'deadIncarnation')::uuid then
    return jsonb_build_object('outcome', 'held', 'incarnation', r.incarnation, 'leaseUntil', r.lease_until,
      'leftMs', ceil(extract(epoch from r.lease_until - now()) * 1000));
  end if;
  update replica set incarnation = new_incarnation, state = 'active', lease_until = now() + lease where id = r.id;
  return jsonb_build_object('outcome', 'taken');
end $$;
--> statement-breakpoint
-- Renews a lease. 'lapsed': it had ended, so that sessions may have gone to others. 'lost': another incarnation has the name by now.
create function attache_renew_lease(p jsonb) returns jsonb language plpgsql as $$
declare r replica%rowtype;
begin
  perform attache_enter_worker();
  select * into r from replica where id = p->>'replicaId' for update;
  if not found or r.incarnation <> (p->>'incarnation')::uuid then return to_jsonb('lost'::text); end if;
  update replica set state = p->>'state', lease_until = now() + make_interval(secs => (p->>'leaseMs')::int / 1000.0) where id = r.id;
  return to_jsonb(case when r.lease_until < now() then 'lapsed' else 'renewed' end);
end $$;
--> statement-breakpoint
-- Takes or keeps a session for an incarnation; each time that it changes hands the epoch rises. None is taken from one whose lease runs,
-- whatever its name. `isTakenOver`: its last owner did not let go of it, so that what that one had begun is still to be settled.
create or replace function attache_claim_session(p jsonb) returns jsonb language plpgsql as $$
declare o session_owner%rowtype; new_incarnation uuid := (p->>'incarnation')::uuid;
begin
  perform attache_enter_worker();
  insert into session_owner (tenant_id, session_id, replica_id, incarnation, epoch)
    values ((p->>'tenantId')::uuid, (p->>'sessionId')::uuid, p->>'replicaId', new_incarnation, 1) on conflict (tenant_id, session_id) do nothing;
  if found then return jsonb_build_object('epoch', 1, 'isTakenOver', false); end if;
  select * into o from session_owner where tenant_id = (p->>'tenantId')::uuid and session_id = (p->>'sessionId')::uuid for update;
  if o.released_at is null then
    if o.incarnation = new_incarnation then return jsonb_build_object('epoch', o.epoch, 'isTakenOver', false); end if;
    if attache_is_alive(o.incarnation) then return jsonb_build_object('epoch', null, 'isTakenOver', false); end if;
  end if;
  update session_owner set replica_id = p->>'replicaId', incarnation = new_incarnation, released_at = null, epoch = o.epoch + 1
    where tenant_id = o.tenant_id and session_id = o.session_id;
  return jsonb_build_object('epoch', o.epoch + 1, 'isTakenOver', o.released_at is null);
end $$;
--> statement-breakpoint
-- Lets go of a session in which nothing is under way. False: a delivery is, or it is not this incarnation's. Of one that has ended no row stays.
create function attache_release_session(p jsonb) returns jsonb language plpgsql as $$
declare tenant uuid := (p->>'tenantId')::uuid; the_session uuid := (p->>'sessionId')::uuid; has_ended boolean;
begin
  perform attache_enter(tenant);
  perform set_config('role', 'attache_worker', true);
  perform 1 from session_owner where tenant_id = tenant and session_id = the_session and incarnation = (p->>'incarnation')::uuid and released_at is null for update;
  if not found then return to_jsonb(false); end if;
  perform set_config('role', 'attache_app', true);
  if exists (select 1 from delivery where tenant_id = tenant and session_id = the_session and status in ('prepared', 'claimed', 'written')) then
    return to_jsonb(false);
  end if;
  has_ended := not exists (select 1 from session where tenant_id = tenant and id = the_session and status = 'active');
  perform set_config('role', 'attache_worker', true);
  if has_ended then
    delete from session_owner where tenant_id = tenant and session_id = the_session;
  else
    update session_owner set released_at = now() where tenant_id = tenant and session_id = the_session;
  end if;
  return to_jsonb(true);
end $$;
