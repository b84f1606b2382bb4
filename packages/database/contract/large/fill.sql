-- A platform that has run for long: ten tenants, 100,000 sessions, 1,000,000 attachments of which one session has 100,000, 200,000 keys, and an agent with
-- 20,000 deliveries. Ids are digests of names, so that tests can tell them.
set session_replication_role = replica;

insert into tenant (tenant_id, name) select md5('tenant ' || n)::uuid, 'tenant-' || n from generate_series(0, 9) n;

insert into session (tenant_id, id, replay_policy)
  select md5('tenant ' || n % 10)::uuid, md5('session ' || n)::uuid, '{"originals": "none"}' from generate_series(0, 99999) n;

insert into api_key (tenant_id, id, name, secret_hash, scopes)
  select md5('tenant ' || n % 10)::uuid, md5('key ' || n)::uuid, 'key ' || n, 'hash', '{read}' from generate_series(0, 199999) n;

insert into blob (tenant_id, id, key, store_id, state, size_bytes, sha256)
  select md5('tenant ' || n)::uuid, md5('blob ' || n)::uuid, 'key of blob ' || n, 'files', 'live', 42, md5('blob ' || n) from generate_series(0, 9) n;

-- The first 100,000 are of the first session.
insert into attachment (tenant_id, id, session_id, blob_id, mime_type, kind, size_bytes, sha256, origin, status, created_at)
  select md5('tenant ' || s % 10)::uuid, md5('attachment ' || n)::uuid, md5('session ' || s)::uuid, md5('blob ' || s % 10)::uuid,
         'image/png', 'image', 42, md5('blob ' || s % 10), 'upload', 'ready', timestamptz '2026-01-01' + n * interval '1 second'
    from generate_series(0, 999999) n, lateral (select case when n < 100000 then 0 else n % 100000 end as s) of_session;

insert into attachment_name (tenant_id, attachment_id, name)
  select tenant_id, id, 'picture ' || id || '.png' from attachment;

insert into tenant_user (tenant_id, id, external_user_id) select md5('tenant 0')::uuid, md5('user ' || n)::uuid, 'user ' || n from generate_series(0, 9999) n;

insert into participant (tenant_id, session_id, user_id, rights)
  select md5('tenant 0')::uuid, md5('session 0')::uuid, md5('user ' || n)::uuid, '{events:read}' from generate_series(0, 9999) n;

insert into session_log (tenant_id, session_id, seq, id, at, kind, actor, trace_id, data, schema_version)
  select md5('tenant 0')::uuid, md5('session 0')::uuid, n, md5('event ' || n)::uuid, now(), 'attachment.deleted', '{"type": "service", "id": "ingest"}',
         '', '{}', 1 from generate_series(1, 200000) n;
update session set last_seq = 200000 where id = md5('session 0')::uuid;

set session_replication_role = default;
