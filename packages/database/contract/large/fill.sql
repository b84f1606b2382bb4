-- A platform that has run for long: ten tenants, 100,000 sessions with their owners, 1,000,000 attachments of which one session has 100,000, 200,000 keys,
-- 50,000 condemned blobs, 50,000 each of settled messages, handled events and ended idempotency keys, and an agent with
-- 20,000 deliveries. Ids are digests of names, so that tests can tell them.
set session_replication_role = replica;

insert into tenant (tenant_id, name) select md5('tenant ' || n)::uuid, 'tenant-' || n from generate_series(0, 9) n;

insert into session (tenant_id, id, replay_policy)
  select md5('tenant ' || n % 10)::uuid, md5('session ' || n)::uuid, '{"originals": "none"}' from generate_series(0, 99999) n;

insert into api_key (tenant_id, id, name, secret_hash, scopes)
  select md5('tenant ' || n % 10)::uuid, md5('key ' || n)::uuid, 'key ' || n, 'hash', '{read}' from generate_series(0, 199999) n;

insert into blob (tenant_id, id, key, store_id, state, size_bytes, sha256)
  select md5('tenant ' || n)::uuid, md5('blob ' || n)::uuid, 'key of blob ' || n, 'files', 'live', 42, md5('blob ' || n) from generate_series(0, 9) n;

insert into blob (tenant_id, id, key, store_id, state, size_bytes, sha256, condemned_at)
  select md5('tenant 1')::uuid, md5('condemned ' || n)::uuid, 'key of condemned ' || n, 'files', 'condemned', 42, md5('condemned ' || n), now()
    from generate_series(1, 50000) n;

-- The first 100,000 are of the first session.
insert into attachment (tenant_id, id, session_id, blob_id, mime_type, kind, size_bytes, sha256, origin, status, created_at)
  select md5('tenant ' || s % 10)::uuid, md5('attachment ' || n)::uuid, md5('session ' || s)::uuid, md5('blob ' || s % 10)::uuid,
         'image/png', 'image', 42, md5('blob ' || s % 10), 'upload', 'ready', timestamptz '2026-01-01' + n * interval '1 second'
    from generate_series(0, 999999) n, lateral (select case when n < 100000 then 0 else n % 100000 end as s) of_session;

-- Built at once, which is far quicker than row by row.
drop index attachment_name_grams;
insert into attachment_name (tenant_id, attachment_id, session_id, name, folded_name)
  select tenant_id, id, session_id, 'Picture ' || id || '.png', 'picture ' || id || '.png' from attachment;
set maintenance_work_mem = '1GB';
create index attachment_name_grams on attachment_name using gin (attache_name_grams(session_id, folded_name)) with (fastupdate = off);

insert into tenant_user (tenant_id, id, external_user_id) select md5('tenant 0')::uuid, md5('user ' || n)::uuid, 'user ' || n from generate_series(0, 9999) n;

insert into participant (tenant_id, session_id, user_id, rights)
  select md5('tenant 0')::uuid, md5('session 0')::uuid, md5('user ' || n)::uuid, '{events:read}' from generate_series(0, 9999) n;

insert into session_log (tenant_id, session_id, seq, id, at, kind, actor, trace_id, data, schema_version)
  select md5('tenant 0')::uuid, md5('session 0')::uuid, n, md5('event ' || n)::uuid, now(), 'attachment.deleted', '{"type": "service", "id": "ingest"}',
         '', '{}', 1 from generate_series(1, 200000) n;
insert into outbox (tenant_id, id, subject, data, state, created_at)
  select md5('tenant 0')::uuid, md5('message ' || n)::uuid, 'session.ended', '{}', 'done', timestamptz '2026-01-01' from generate_series(1, 50000) n;
insert into inbox (tenant_id, event_id, consumer, handled_at)
  select md5('tenant 0')::uuid, md5('message ' || n)::uuid, 'projector', timestamptz '2026-01-01' from generate_series(1, 50000) n;
insert into idempotency (tenant_id, route, session_id, key, expires_at)
  select md5('tenant 0')::uuid, 'sendMessage', md5('session 0')::uuid, 'key ' || n, timestamptz '2026-01-01' from generate_series(1, 50000) n;
insert into session_owner (tenant_id, session_id, replica_id, incarnation, epoch)
  select md5('tenant ' || n % 10)::uuid, md5('session ' || n)::uuid, 'gateway ' || n % 2, md5('incarnation')::uuid, 1 from generate_series(0, 99999) n;

insert into agent (tenant_id, id, session_id, name, role, profile, runtime, provider, model, context_since)
  select md5('tenant 0')::uuid, md5('agent')::uuid, md5('session 0')::uuid, 'agent', 'lead', 'profile', 'acp', 'provider', 'model', timestamptz '2026-01-01';
insert into message (tenant_id, id, session_id, sender)
  select md5('tenant 0')::uuid, md5('message ' || n)::uuid, md5('session 0')::uuid, '{"type": "operator", "id": "operator"}' from generate_series(1, 20000) n;
insert into delivery (tenant_id, id, session_id, message_id, agent_id, message_seq, status, plan, held, writing_at, trace_id)
  select md5('tenant 0')::uuid, md5('delivery ' || n)::uuid, md5('session 0')::uuid, md5('message ' || n)::uuid, md5('agent')::uuid, n, 'responded',
         '{"budget": {"bytes": {"used": 9}, "pixels": {"used": 9}, "images": {"used": 9}, "pages": {"used": 9}}}',
         '{"bytes": 1, "pixels": 2, "images": 3, "pages": 4}', timestamptz '2026-02-01', '' from generate_series(1, 20000) n;

update agent set resident = attache_sum_held(tenant_id, id, context_since);
update session set last_seq = 200000 where id = md5('session 0')::uuid;

set session_replication_role = default;
