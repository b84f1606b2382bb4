ALTER TABLE "idempotency" ADD COLUMN "principal" text;--> statement-breakpoint
-- As before; and which key it came from by rotation, the first of them all: successors are the same principal.
create or replace function attache_find_key(p_key uuid) returns jsonb language plpgsql as $$
declare found jsonb; first uuid; before uuid;
begin
  perform attache_enter(null);
  perform attache_enter(attache_tenant_of_key(p_key));
  select jsonb_build_object('tenantId', k.tenant_id, 'secretHash', k.secret_hash, 'scopes', to_jsonb(k.scopes), 'trustedTrace', k.trusted_trace,
           'isUsable', k.revoked_at is null and t.deleted_at is null and t.suspended_at is null and (k.expires_at is null or k.expires_at > now()),
           'maxUploadBytes', t.max_upload_bytes), k.id, k.rotated_from
    into found, first, before from api_key k join tenant t on t.tenant_id = k.tenant_id where k.id = p_key;
  while before is not null loop
    first := before;
    select k.rotated_from into before from api_key k where k.tenant_id = attache_tenant_id() and k.id = first;
  end loop;
  return found || jsonb_build_object('firstKeyId', first);
end $$;
--> statement-breakpoint
-- Opens an idempotency key for a principal. A row in progress is the key of a living holder for as long as that one lives. 'reused': it is another
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
    from idempotency where tenant_id = attache_tenant_id() and route = p->>'route' and session_id = (p->>'sessionId')::uuid and key = p->>'key';
  return coalesce(known, jsonb_build_object('state', 'in-progress'));
end $$;
--> statement-breakpoint
-- Keeps the answer of the request that holds the key. Another one may hold it by now, or have its answer: then nothing of this one's effects stays.
create or replace function attache_close_idempotency(p jsonb) returns void language plpgsql as $$
begin
  update idempotency set state = 'done', fingerprint = p->>'fingerprint', status = (p->>'status')::int, sealed_answer = p->>'sealedAnswer', expires_at = now() + interval '24 hours'
    where tenant_id = attache_tenant_id() and route = p->>'route' and session_id = (p->>'sessionId')::uuid and key = p->>'key'
      and state = 'in-progress' and ticket is not distinct from (p->>'ticket')::uuid;
  if not found then raise exception 'attache: the idempotency key is held by another request' using errcode = 'AT002'; end if;
end $$;
