-- Roles. `attache_app` acts inside one tenant; `attache_worker` reads control tables across tenants; `attache_owner` owns the two
-- look-ups that must find a tenant before one is known.
do $$ begin create role attache_app nologin; exception when duplicate_object then null; end $$;
--> statement-breakpoint
do $$ begin create role attache_worker nologin; exception when duplicate_object then null; end $$;
--> statement-breakpoint
do $$ begin create role attache_owner nologin; exception when duplicate_object then null; end $$;
--> statement-breakpoint
do $$ begin execute format('grant attache_owner to %I', current_user); end $$;
--> statement-breakpoint
grant usage on schema public to attache_app, attache_worker, attache_owner;
--> statement-breakpoint
-- A function changes its owner only to a role that may create in its schema.
grant create on schema public to attache_owner;
--> statement-breakpoint
create function attache_tenant_id() returns uuid language sql stable as
$$ select nullif(current_setting('attache.tenant_id', true), '')::uuid $$;
--> statement-breakpoint
-- Content tables admit only the tenant of the transaction.
do $$
declare content_table text;
begin
  foreach content_table in array array[
    'tenant', 'api_key', 'tenant_user', 'participant', 'session', 'agent', 'blob', 'attachment', 'attachment_name', 'variant',
    'message', 'message_text', 'message_attachment', 'delivery', 'delivery_transition', 'access_grant', 'session_log',
    'idempotency', 'audit_log']
  loop
    execute format('alter table %I enable row level security', content_table);
    execute format('alter table %I force row level security', content_table);
    execute format('create policy tenant_only on %I for all to attache_app using (tenant_id = attache_tenant_id()) with check (tenant_id = attache_tenant_id())', content_table);
    execute format('grant select, insert, update, delete on %I to attache_app', content_table);
  end loop;
end $$;
--> statement-breakpoint
-- The log is append-only for the app: what happened is not edited.
revoke update, delete on session_log, delivery_transition, audit_log from attache_app;
--> statement-breakpoint
-- Control tables hold ids only.
do $$
declare control_table text;
begin
  foreach control_table in array array['outbox', 'inbox', 'dead_letter', 'replica', 'session_owner', 'sweep', 'profile_probe']
  loop
    execute format('alter table %I enable row level security', control_table);
    execute format('alter table %I force row level security', control_table);
    execute format('create policy worker_all on %I for all to attache_worker using (true) with check (true)', control_table);
    execute format('grant select, insert, update, delete on %I to attache_worker', control_table);
  end loop;
end $$;
--> statement-breakpoint
create policy app_insert on outbox for insert to attache_app with check (tenant_id = attache_tenant_id());
--> statement-breakpoint
grant insert on outbox to attache_app;
--> statement-breakpoint
-- What a program declares is the operator's, not a tenant's: every tenant's plans read it.
create policy app_read on profile_probe for select to attache_app using (true);
--> statement-breakpoint
grant select on profile_probe to attache_app;
--> statement-breakpoint
create policy owner_lookup on api_key for select to attache_owner using (true);
--> statement-breakpoint
create policy owner_lookup on attachment for select to attache_owner using (true);
--> statement-breakpoint
create policy owner_lookup on tenant for select to attache_owner using (true);
--> statement-breakpoint
create policy owner_lookup on blob for select to attache_owner using (true);
--> statement-breakpoint
grant select on api_key, attachment, tenant, blob to attache_owner;
--> statement-breakpoint
create function attache_tenant_of_key(p_key uuid) returns uuid language sql stable security definer set search_path = public as
$$ select tenant_id from api_key where id = p_key $$;
--> statement-breakpoint
create function attache_tenant_of_attachment(p_attachment uuid) returns uuid language sql stable security definer set search_path = public as
$$ select tenant_id from attachment where id = p_attachment $$;
--> statement-breakpoint
create function attache_tenant_named(p_name text) returns uuid language sql stable security definer set search_path = public as
$$ select tenant_id from tenant where name = p_name $$;
--> statement-breakpoint
-- Tenants that have bytes which never became a live blob.
create function attache_tenants_with_abandoned_blobs(p_before timestamptz) returns setof uuid language sql stable security definer set search_path = public as
$$ select distinct tenant_id from blob where state in ('reserved', 'condemned') and sha256 is null and created_at < p_before $$;
--> statement-breakpoint
alter function attache_tenant_of_key(uuid) owner to attache_owner;
--> statement-breakpoint
alter function attache_tenant_of_attachment(uuid) owner to attache_owner;
--> statement-breakpoint
alter function attache_tenant_named(text) owner to attache_owner;
--> statement-breakpoint
alter function attache_tenants_with_abandoned_blobs(timestamptz) owner to attache_owner;
--> statement-breakpoint
revoke create on schema public from attache_owner;
--> statement-breakpoint
revoke execute on function attache_tenant_of_key(uuid), attache_tenant_of_attachment(uuid), attache_tenant_named(text), attache_tenants_with_abandoned_blobs(timestamptz) from public;
--> statement-breakpoint
grant execute on function attache_tenant_of_key(uuid), attache_tenant_of_attachment(uuid), attache_tenant_named(text) to attache_app;
--> statement-breakpoint
grant execute on function attache_tenants_with_abandoned_blobs(timestamptz) to attache_worker;
--> statement-breakpoint
-- Enters a tenant for the rest of the transaction.
create function attache_enter(p_tenant uuid) returns void language plpgsql as $$
begin
  perform set_config('role', 'attache_app', true);
  perform set_config('attache.tenant_id', coalesce(p_tenant::text, ''), true);
end $$;
--> statement-breakpoint
create function attache_enter_worker() returns void language plpgsql as $$
begin
  perform set_config('role', 'attache_worker', true);
  perform set_config('attache.tenant_id', '', true);
end $$;
--> statement-breakpoint
-- One look-up: the key, its hash for the caller to compare, and the tenant's limits.
create function attache_find_key(p_key uuid) returns jsonb language plpgsql as $$
declare found jsonb;
begin
  perform attache_enter(null);
  perform attache_enter(attache_tenant_of_key(p_key));
  select jsonb_build_object('tenantId', k.tenant_id, 'secretHash', k.secret_hash, 'scopes', to_jsonb(k.scopes), 'trustedTrace', k.trusted_trace,
           'isUsable', k.revoked_at is null and t.deleted_at is null and (k.expires_at is null or k.expires_at > now()),
           'maxUploadBytes', t.max_upload_bytes)
    into found from api_key k join tenant t on t.tenant_id = k.tenant_id where k.id = p_key;
  return found;
end $$;
--> statement-breakpoint
create function attache_find_attachment_tenant(p_attachment uuid) returns jsonb language plpgsql as $$
begin
  perform attache_enter(null);
  return to_jsonb(attache_tenant_of_attachment(p_attachment));
end $$;
--> statement-breakpoint
create function attache_find_tenant_named(p_name text) returns jsonb language plpgsql as $$
begin
  perform attache_enter(null);
  return to_jsonb(attache_tenant_named(p_name));
end $$;
--> statement-breakpoint
-- Appends events in order. The sequence is taken by an update, so that seq order is commit order; nothing may wait after it.
create function attache_append_events(p_session uuid, p_events jsonb) returns bigint language plpgsql as $$
declare last bigint; n int := jsonb_array_length(p_events);
begin
  update session set last_seq = last_seq + n where tenant_id = attache_tenant_id() and id = p_session returning last_seq into last;
  if last is null then raise exception 'attache: no such session' using errcode = 'P0002'; end if;
  insert into session_log (tenant_id, session_id, seq, id, at, kind, actor, trace_id, data, schema_version)
    select attache_tenant_id(), p_session, last - n + e.position, (e.value->>'id')::uuid, coalesce((e.value->>'at')::timestamptz, now()), e.value->>'kind',
           e.value->'actor', e.value->>'traceId', e.value->'data', 1
      from jsonb_array_elements(p_events) with ordinality as e(value, position);
  return last;
end $$;
--> statement-breakpoint
-- Opens an idempotency key. An in-progress row whose time has passed belongs to a process that died.
create function attache_open_idempotency(p jsonb) returns jsonb language plpgsql as $$
declare taken boolean; known jsonb;
begin
  insert into idempotency as i (tenant_id, route, session_id, key, expires_at)
    values (attache_tenant_id(), p->>'route', (p->>'sessionId')::uuid, p->>'key', now() + interval '1 hour')
    on conflict (tenant_id, route, session_id, key) do update
      set state = 'in-progress', fingerprint = null, status = null, sealed_answer = null, created_at = now(), expires_at = excluded.expires_at
      where i.expires_at < now()
    returning true into taken;
  if taken then return jsonb_build_object('state', 'opened'); end if;
  select jsonb_build_object('state', state, 'fingerprint', fingerprint, 'status', status, 'sealedAnswer', sealed_answer) into known
    from idempotency where tenant_id = attache_tenant_id() and route = p->>'route' and session_id = (p->>'sessionId')::uuid and key = p->>'key';
  return coalesce(known, jsonb_build_object('state', 'in-progress'));
end $$;
--> statement-breakpoint
create function attache_close_idempotency(p jsonb) returns void language plpgsql as $$
begin
  update idempotency set state = 'done', fingerprint = p->>'fingerprint', status = (p->>'status')::int, sealed_answer = p->>'sealedAnswer', expires_at = now() + interval '24 hours'
    where tenant_id = attache_tenant_id() and route = p->>'route' and session_id = (p->>'sessionId')::uuid and key = p->>'key';
end $$;
--> statement-breakpoint
-- Before the bytes: the gate, the idempotency key, the quota and a reserved blob row, in one round trip.
create function attache_reserve_upload(p jsonb) returns jsonb language plpgsql as $$
declare session_status text; once jsonb; admitted boolean;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  select s.status into session_status from session s
    where s.tenant_id = attache_tenant_id() and s.id = (p->>'sessionId')::uuid and s.deleted_at is null;
  if session_status is null then return jsonb_build_object('outcome', 'session-not-found'); end if;
  if session_status <> 'active' then return jsonb_build_object('outcome', 'session-ended'); end if;
  if p ? 'idempotency' then
    once := attache_open_idempotency(p->'idempotency');
    if once->>'state' = 'done' then return once || jsonb_build_object('outcome', 'replay'); end if;
    if once->>'state' <> 'opened' then return jsonb_build_object('outcome', 'in-progress'); end if;
  end if;
  update tenant set reserved_bytes = reserved_bytes + (p->>'reserveBytes')::bigint
    where tenant_id = attache_tenant_id() and (quota_bytes is null or used_bytes + reserved_bytes + (p->>'reserveBytes')::bigint <= quota_bytes)
    returning true into admitted;
  if admitted is null then
    if p ? 'idempotency' then
      delete from idempotency where tenant_id = attache_tenant_id() and route = p->'idempotency'->>'route'
        and session_id = (p->>'sessionId')::uuid and key = p->'idempotency'->>'key';
    end if;
    return jsonb_build_object('outcome', 'quota-exceeded');
  end if;
  insert into blob (tenant_id, id, key, store_id, state, reserved_bytes)
    values (attache_tenant_id(), (p->>'blobId')::uuid, p->>'key', p->>'storeId', 'reserved', (p->>'reserveBytes')::bigint);
  return jsonb_build_object('outcome', 'reserved');
end $$;
--> statement-breakpoint
-- After the bytes: blob live, attachment pending, outbox, idempotency, log event, in one round trip.
create function attache_record_attachment(p jsonb) returns jsonb language plpgsql as $$
declare reserved bigint; size bigint := (p->>'sizeBytes')::bigint; session_status text;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  select status into session_status from session where tenant_id = attache_tenant_id() and id = (p->>'sessionId')::uuid and deleted_at is null;
  if session_status is distinct from 'active' then return jsonb_build_object('outcome', 'session-ended'); end if;
  if p ? 'fence' and not attache_hold_epoch((p->>'sessionId')::uuid, (p->'fence'->>'incarnation')::uuid, (p->'fence'->>'epoch')::bigint) then
    return jsonb_build_object('outcome', 'ownership-lost');
  end if;
  update blob set state = 'live', size_bytes = size, sha256 = p->>'sha256'
    where tenant_id = attache_tenant_id() and id = (p->>'blobId')::uuid and state = 'reserved' returning reserved_bytes into reserved;
  if reserved is null then return jsonb_build_object('outcome', 'reservation-lost'); end if;
  update tenant set reserved_bytes = greatest(0, reserved_bytes - reserved), used_bytes = used_bytes + size where tenant_id = attache_tenant_id();
  insert into attachment (tenant_id, id, session_id, blob_id, declared_mime_type, mime_type, kind, size_bytes, sha256, origin, source, trace, created_at)
    values (attache_tenant_id(), (p->>'attachmentId')::uuid, (p->>'sessionId')::uuid, (p->>'blobId')::uuid, p->>'declaredMimeType', p->>'mimeType', p->>'kind',
            size, p->>'sha256', p->>'origin', p->>'source', p->'trace', (p->>'createdAt')::timestamptz);
  insert into attachment_name (tenant_id, attachment_id, name) values (attache_tenant_id(), (p->>'attachmentId')::uuid, p->>'name');
  if p ? 'grantAgentId' then
    insert into access_grant (tenant_id, id, session_id, attachment_id, agent_id)
      values (attache_tenant_id(), (p->>'grantId')::uuid, (p->>'sessionId')::uuid, (p->>'attachmentId')::uuid, (p->>'grantAgentId')::uuid);
  end if;
  insert into outbox (tenant_id, id, subject, data, trace)
    values (attache_tenant_id(), (p->>'outboxId')::uuid, 'attachment.added',
            jsonb_build_object('tenantId', p->>'tenantId', 'sessionId', p->>'sessionId', 'attachmentId', p->>'attachmentId'), p->'trace');
  if p ? 'idempotency' then perform attache_close_idempotency(p->'idempotency'); end if;
  perform attache_append_events((p->>'sessionId')::uuid, p->'events');
  return jsonb_build_object('outcome', 'recorded');
end $$;
--> statement-breakpoint
-- An upload that did not end well gives back what it reserved. True: the bytes are nobody's, and may be removed. The row stays.
create function attache_abandon_upload(p jsonb) returns jsonb language plpgsql as $$
declare reserved bigint;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  update blob set state = 'condemned', condemned_at = now() where tenant_id = attache_tenant_id() and id = (p->>'blobId')::uuid and state = 'reserved'
    returning reserved_bytes into reserved;
  if reserved is not null then
    update tenant set reserved_bytes = greatest(0, reserved_bytes - reserved) where tenant_id = attache_tenant_id();
  end if;
  if p ? 'idempotency' then
    delete from idempotency where tenant_id = attache_tenant_id() and route = p->'idempotency'->>'route'
      and session_id = (p->'idempotency'->>'sessionId')::uuid and key = p->'idempotency'->>'key' and state = 'in-progress';
  end if;
  return to_jsonb(reserved is not null);
end $$;
--> statement-breakpoint
-- Accepts a message: everything that was checked before is checked again here, in the transaction that makes it true.
create function attache_accept_message(p jsonb) returns jsonb language plpgsql as $$
declare tenant uuid := (p->>'tenantId')::uuid; in_session uuid := (p->>'sessionId')::uuid; the_message uuid := (p->>'messageId')::uuid;
  last bigint; first_seq bigint;
begin
  perform attache_enter(tenant);
  if not exists (select 1 from session where tenant_id = tenant and id = in_session and status = 'active' and deleted_at is null) then
    return jsonb_build_object('outcome', 'session-ended');
  end if;
  if exists (select 1 from jsonb_array_elements(p->'deliveries') d left join agent a
      on a.tenant_id = tenant and a.id = (d->>'agentId')::uuid and a.session_id = in_session and a.removed_at is null where a.id is null) then
    return jsonb_build_object('outcome', 'agent-gone');
  end if;
  if exists (select 1 from jsonb_array_elements_text(p->'attachmentIds') named left join attachment a
      on a.tenant_id = tenant and a.id = named::uuid and a.session_id = in_session and a.deleted_at is null where a.id is null) then
    return jsonb_build_object('outcome', 'attachment-gone');
  end if;
  insert into message (tenant_id, id, session_id, sender, created_at)
    values (tenant, the_message, in_session, p->'sender', (p->>'createdAt')::timestamptz);
  insert into message_text (tenant_id, message_id, text) values (tenant, the_message, p->>'text');
  insert into message_attachment (tenant_id, message_id, position, attachment_id)
    select tenant, the_message, n.position, n.value::uuid from jsonb_array_elements_text(p->'attachmentIds') with ordinality as n(value, position);
  insert into access_grant (tenant_id, id, session_id, attachment_id, agent_id, message_id)
    select tenant, (g->>'id')::uuid, in_session, (g->>'attachmentId')::uuid, (g->>'agentId')::uuid, the_message from jsonb_array_elements(p->'grants') g;
  insert into outbox (tenant_id, id, subject, data, trace)
    select tenant, (d->>'outboxId')::uuid, 'delivery.queued',
      jsonb_build_object('tenantId', tenant, 'sessionId', in_session, 'deliveryId', d->>'id'), p->'trace' from jsonb_array_elements(p->'deliveries') d;
  if p ? 'idempotency' then perform attache_close_idempotency(p->'idempotency'); end if;
  last := attache_append_events(in_session, p->'events');
  first_seq := last - jsonb_array_length(p->'events') + 1;
  insert into delivery (tenant_id, id, session_id, message_id, agent_id, message_seq, plan, trace, trace_id)
    select tenant, (d->>'id')::uuid, in_session, the_message, (d->>'agentId')::uuid, first_seq, d->'plan', p->'trace', p->>'traceId'
      from jsonb_array_elements(p->'deliveries') d;
  insert into delivery_transition (tenant_id, delivery_id, position, status, actor, attempt, trace_id)
    select tenant, (d->>'id')::uuid, 1, 'queued', p->'sender', 1, p->>'traceId' from jsonb_array_elements(p->'deliveries') d;
  return jsonb_build_object('outcome', 'accepted', 'seq', first_seq);
end $$;
--> statement-breakpoint
-- Claims messages for a consumer: hidden from others until the lease ends.
create function attache_claim_outbox(p_subjects text[], p_limit int, p_lease_ms int) returns jsonb language plpgsql as $$
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
--> statement-breakpoint
-- Settles one message: done, waiting again after a delay, or dead with a reason that the operator can read.
create function attache_settle_outbox(p jsonb) returns void language plpgsql as $$
begin
  perform attache_enter_worker();
  if p->>'as' = 'retry' then
    update outbox set claimed_until = null, available_at = now() + make_interval(secs => (p->>'delayMs')::numeric / 1000.0)
      where tenant_id = (p->>'tenantId')::uuid and id = (p->>'id')::uuid and state = 'waiting';
    return;
  end if;
  update outbox set state = p->>'as', claimed_until = null, settled_at = now()
    where tenant_id = (p->>'tenantId')::uuid and id = (p->>'id')::uuid and state = 'waiting';
  -- Settled before: a late word of a consumer that lost its lease changes nothing.
  if not found then return; end if;
  if p->>'as' = 'dead' then
    insert into dead_letter (tenant_id, id, consumer, subject, data, trace, reason, attempts)
      select tenant_id, id, p->>'consumer', subject, data, trace, p->>'reason', attempts from outbox
        where tenant_id = (p->>'tenantId')::uuid and id = (p->>'id')::uuid
      on conflict do nothing;
  end if;
end $$;
--> statement-breakpoint
-- Whether this consumer handles the event for the first time; in the transaction of the effects (W8).
create function attache_mark_handled(p_event uuid, p_consumer text) returns boolean language plpgsql as $$
declare tenant uuid := attache_tenant_id(); first_time boolean;
begin
  perform set_config('role', 'attache_worker', true);
  insert into inbox (tenant_id, event_id, consumer) values (tenant, p_event, p_consumer) on conflict do nothing returning true into first_time;
  perform set_config('role', 'attache_app', true);
  return coalesce(first_time, false);
end $$;
--> statement-breakpoint
-- Takes or keeps a session for a replica. A new incarnation of the same replica replaces the old one; each take-over raises the epoch.
create function attache_claim_session(p jsonb) returns jsonb language plpgsql as $$
declare owner jsonb;
begin
  perform attache_enter_worker();
  insert into session_owner as o (tenant_id, session_id, replica_id, incarnation, epoch)
    values ((p->>'tenantId')::uuid, (p->>'sessionId')::uuid, p->>'replicaId', (p->>'incarnation')::uuid, 1)
    on conflict (tenant_id, session_id) do update
      set replica_id = excluded.replica_id, incarnation = excluded.incarnation, released_at = null,
          epoch = case when o.incarnation = excluded.incarnation and o.released_at is null then o.epoch else o.epoch + 1 end
      where o.incarnation = excluded.incarnation or o.replica_id = excluded.replica_id or o.released_at is not null
        or not exists (select 1 from replica r where r.id = o.replica_id and r.incarnation = o.incarnation and r.lease_until > now())
    returning jsonb_build_object('epoch', epoch) into owner;
  return coalesce(owner, jsonb_build_object('epoch', null));
end $$;
--> statement-breakpoint
-- Holds the owner row against a take-over until the transaction ends. False for a lower epoch: the holder must stop itself.
create function attache_hold_epoch(p_session uuid, p_incarnation uuid, p_epoch bigint) returns boolean language plpgsql as $$
declare tenant uuid := attache_tenant_id(); held boolean;
begin
  perform set_config('role', 'attache_worker', true);
  select true into held from session_owner where tenant_id = tenant and session_id = p_session and incarnation = p_incarnation and epoch = p_epoch
    and released_at is null for share;
  perform set_config('role', 'attache_app', true);
  return coalesce(held, false);
end $$;
