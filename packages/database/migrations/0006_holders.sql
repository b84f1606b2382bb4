ALTER TABLE "idempotency" ADD COLUMN "holder" uuid;--> statement-breakpoint
ALTER TABLE "idempotency" ADD COLUMN "ticket" uuid;--> statement-breakpoint
create policy owner_lookup on replica for select to attache_owner using (true);
--> statement-breakpoint
grant select on replica to attache_owner;
--> statement-breakpoint
grant create on schema public to attache_owner;
--> statement-breakpoint
-- Whether a process still renews its lease.
create function attache_is_alive(p_incarnation uuid) returns boolean language sql stable security definer set search_path = public as
$$ select exists (select 1 from replica where incarnation = p_incarnation and lease_until > now()) $$;
--> statement-breakpoint
alter function attache_is_alive(uuid) owner to attache_owner;
--> statement-breakpoint
revoke create on schema public from attache_owner;
--> statement-breakpoint
revoke execute on function attache_is_alive(uuid) from public;
--> statement-breakpoint
grant execute on function attache_is_alive(uuid) to attache_app, attache_worker;
--> statement-breakpoint
-- Opens an idempotency key. An in-progress row whose time has passed, or whose holder is dead, belongs to a process that died (W2).
create or replace function attache_open_idempotency(p jsonb) returns jsonb language plpgsql as $$
declare taken boolean; known jsonb;
begin
  insert into idempotency as i (tenant_id, route, session_id, key, holder, ticket, expires_at)
    values (attache_tenant_id(), p->>'route', (p->>'sessionId')::uuid, p->>'key', (p->>'holder')::uuid, (p->>'ticket')::uuid, now() + interval '1 hour')
    on conflict (tenant_id, route, session_id, key) do update
      set state = 'in-progress', fingerprint = null, status = null, sealed_answer = null, holder = excluded.holder, ticket = excluded.ticket, created_at = now(), expires_at = excluded.expires_at
      where i.expires_at < now() or (i.state = 'in-progress' and i.holder is not null and not attache_is_alive(i.holder))
    returning true into taken;
  if taken then return jsonb_build_object('state', 'opened'); end if;
  select jsonb_build_object('state', state, 'fingerprint', fingerprint, 'status', status, 'sealedAnswer', sealed_answer) into known
    from idempotency where tenant_id = attache_tenant_id() and route = p->>'route' and session_id = (p->>'sessionId')::uuid and key = p->>'key';
  return coalesce(known, jsonb_build_object('state', 'in-progress'));
end $$;
--> statement-breakpoint
-- Moves a delivery with all that belongs to the move, in one round trip: fence, inbox, status, timeline, agent, outbox, events. Asked
-- again after a lost answer it changes nothing and says the same (W4). 'stale': someone moved it first.
create function attache_step_delivery(p jsonb) returns jsonb language plpgsql as $$
declare the_delivery uuid := (p->>'deliveryId')::uuid; moved boolean; is_repeated boolean;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if p ? 'fence' and not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return jsonb_build_object('outcome', 'ownership-lost');
  end if;
  if p ? 'handled' and not attache_mark_handled((p->'handled'->>'eventId')::uuid, p->'handled'->>'consumer') then
    return jsonb_build_object('outcome', 'stale');
  end if;
  update delivery set status = p->>'to', parts = coalesce(p->'parts', parts), receipt = coalesce(p->'receipt', receipt),
      epoch = coalesce((p->'fence'->>'epoch')::bigint, epoch), writing_at = case when p->>'to' = 'claimed' then null else writing_at end
    where tenant_id = attache_tenant_id() and id = the_delivery and status = p->>'from' and attempts = (p->>'attempts')::int
    returning true into moved;
  if moved is null then
    select true into is_repeated from delivery where tenant_id = attache_tenant_id() and id = the_delivery and status = p->>'to'
      and attempts = (p->>'attempts')::int and p ? 'fence' and epoch = (p->'fence'->>'epoch')::bigint;
    return jsonb_build_object('outcome', case when is_repeated then 'moved' else 'stale' end);
  end if;
  insert into delivery_transition (tenant_id, delivery_id, position, status, actor, epoch, attempt, trace_id)
    select attache_tenant_id(), the_delivery, coalesce(max(position), 0) + 1, p->>'to', p->'actor', (p->'fence'->>'epoch')::bigint, (p->>'attempts')::int, p->>'traceId'
      from delivery_transition where tenant_id = attache_tenant_id() and delivery_id = the_delivery;
  if p ? 'agentStatus' then
    update agent set status = p->>'agentStatus' where tenant_id = attache_tenant_id() and id = (p->>'agentId')::uuid;
  end if;
  if p ? 'outbox' then
    insert into outbox (tenant_id, id, subject, data, trace)
      values (attache_tenant_id(), (p->'outbox'->>'id')::uuid, p->'outbox'->>'subject',
              jsonb_build_object('tenantId', p->>'tenantId', 'sessionId', p->>'sessionId', 'deliveryId', p->>'deliveryId'), p->'outbox'->'trace');
  end if;
  perform attache_append_events((p->>'sessionId')::uuid, p->'events');
  return jsonb_build_object('outcome', 'moved');
end $$;
--> statement-breakpoint
-- Notes that the first byte is about to be written, under the fence. Asked again after a lost answer it says the same.
create function attache_mark_writing(p jsonb) returns jsonb language plpgsql as $$
declare marked boolean;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return jsonb_build_object('outcome', 'ownership-lost');
  end if;
  update delivery set writing_at = coalesce(writing_at, now())
    where tenant_id = attache_tenant_id() and id = (p->>'deliveryId')::uuid and status = 'claimed' and attempts = (p->>'attempts')::int
      and epoch = (p->'fence'->>'epoch')::bigint
    returning true into marked;
  return jsonb_build_object('outcome', case when marked then 'marked' else 'stale' end);
end $$;
--> statement-breakpoint
-- As before; it frees the key of this request alone, since another one may hold it by now.
create or replace function attache_abandon_upload(p jsonb) returns jsonb language plpgsql as $$
declare reserved bigint;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  perform attache_lock_usage();
  update blob set state = 'condemned', condemned_at = now() where tenant_id = attache_tenant_id() and id = (p->>'blobId')::uuid and state = 'reserved'
    returning reserved_bytes into reserved;
  if reserved is not null then
    update tenant set reserved_bytes = greatest(0, reserved_bytes - reserved) where tenant_id = attache_tenant_id();
  end if;
  if p ? 'idempotency' then
    delete from idempotency where tenant_id = attache_tenant_id() and route = p->'idempotency'->>'route'
      and session_id = (p->'idempotency'->>'sessionId')::uuid and key = p->'idempotency'->>'key' and state = 'in-progress'
      and ticket is not distinct from (p->'idempotency'->>'ticket')::uuid;
  end if;
  return to_jsonb(reserved is not null);
end $$;
