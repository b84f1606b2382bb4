-- Opens an idempotency key for a principal. A row in progress belongs to its holder for as long as that one lives. 'reused': the key is another
-- principal's, who gets neither its answer nor an effect.
create or replace function attache_open_idempotency(p jsonb) returns jsonb language plpgsql as $$
declare taken boolean; known jsonb;
begin
  insert into idempotency as i (tenant_id, route, session_id, key, principal, holder, ticket, expires_at)
    values (attache_tenant_id(), p->>'route', (p->>'sessionId')::uuid, p->>'key', p->>'principal', (p->>'holder')::uuid, (p->>'ticket')::uuid, now() + interval '24 hours')
    on conflict (tenant_id, route, session_id, key) do update
      set state = 'in-progress', fingerprint = null, status = null, sealed_answer = null, principal = excluded.principal, holder = excluded.holder,
          ticket = excluded.ticket, created_at = now(), expires_at = excluded.expires_at
      where case when i.state = 'in-progress' and i.holder is not null then not attache_is_alive(i.holder) else i.expires_at < now() end
    returning true into taken;
  if taken then return jsonb_build_object('state', 'opened'); end if;
  select jsonb_build_object('state', state, 'fingerprint', fingerprint, 'status', status, 'sealedAnswer', sealed_answer)
      || case when principal <> p->>'principal' then jsonb_build_object('state', 'reused', 'sealedAnswer', null) else '{}'::jsonb end into known
    from idempotency where tenant_id = (select attache_tenant_id()) and route = p->>'route' and session_id = (p->>'sessionId')::uuid and key = p->>'key';
  return coalesce(known, jsonb_build_object('state', 'in-progress'));
end $$;

-- Keeps the answer of the request that holds the key. Another one may hold it by now, or have its answer: then nothing of this one's effects stays.
create or replace function attache_close_idempotency(p jsonb) returns void language plpgsql as $$
begin
  update idempotency set state = 'done', fingerprint = p->>'fingerprint', status = (p->>'status')::int, sealed_answer = p->>'sealedAnswer', expires_at = now() + interval '24 hours'
    where tenant_id = (select attache_tenant_id()) and route = p->>'route' and session_id = (p->>'sessionId')::uuid and key = p->>'key'
      and state = 'in-progress' and ticket is not distinct from (p->>'ticket')::uuid;
  if not found then raise exception 'attache: the idempotency key is held by another request' using errcode = 'AT002'; end if;
end $$;

create or replace function attache_open_once(p jsonb) returns jsonb language plpgsql as $$
begin
  perform attache_enter((p->>'tenantId')::uuid);
  return attache_open_idempotency(p);
end $$;

-- Uses something that may be used once, for example a ticket of an event stream. False: it was used before. Its row stays for as long as it could be
-- presented again; nobody works on it, so it waits for no holder.
create or replace function attache_use_once(p jsonb) returns jsonb language plpgsql as $$
declare used boolean;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  insert into idempotency (tenant_id, route, session_id, key, state, principal, expires_at)
    values ((p->>'tenantId')::uuid, p->>'route', (p->>'sessionId')::uuid, p->>'key', 'done', p->>'principal', now() + interval '24 hours')
    on conflict (tenant_id, route, session_id, key) do nothing returning true into used;
  return to_jsonb(coalesce(used, false));
end $$;
