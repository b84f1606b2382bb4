-- A platform that has run for long: ten tenants, 100,000 sessions with their owners, 1,000,000 attachments of which one session has 100,000, 100,000 variants, 200,000 keys,
-- 50,000 condemned blobs, 20,000 that are being removed, 20,000 reservations, 50,000 each of settled messages, handled events, ended idempotency keys and
-- those in progress, 20,000 messages that wait, 40,000 dead letters of which most were replayed, 100,000 entries each of an audit log and of use, 10,000
-- ended sessions, and an agent with 20,000 deliveries. Ids are digests of names, so that tests can tell them.
set session_replication_role = replica;

insert into tenant (tenant_id, name) select md5('tenant ' || n)::uuid, 'tenant-' || n from generate_series(0, 9) n;

insert into session (tenant_id, id, replay_policy)
  select md5('tenant ' || n % 10)::uuid, md5('session ' || n)::uuid, '{"originals": "none"}' from generate_series(0, 99999) n;

-- One tenant has 100,000 more, a second apart; 1,000 ids of its platform.
insert into session (tenant_id, id, external_id, replay_policy, created_at)
  select md5('tenant 9')::uuid, md5('listed ' || n)::uuid, 'case ' || n % 1000, '{"originals": "none"}', timestamptz '2026-01-01' + n * interval '1 second'
    from generate_series(0, 99999) n;

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

insert into blob (tenant_id, id, key, store_id, state, size_bytes, sha256)
  select md5('tenant ' || n % 10)::uuid, md5('blob of variant ' || n)::uuid, 'key of variant ' || n, 'files', 'live', 7, md5('variant ' || n) from generate_series(1, 100000) n;
insert into variant (tenant_id, id, source_sha256, blob_id, purpose, recipe, mime_type, size_bytes, sha256)
  select md5('tenant ' || n % 10)::uuid, md5('variant ' || n)::uuid, md5('source ' || n), md5('blob of variant ' || n)::uuid, 'preview', 'preview/1', 'image/webp', 7,
         md5('variant ' || n) from generate_series(1, 100000) n;

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
-- Each with two checkpoints of a pack of its own.
insert into agent (tenant_id, id, session_id, name, role, profile, runtime, provider, model)
  select md5('tenant 0')::uuid, md5('resting ' || n)::uuid, md5('session ' || n * 10)::uuid, 'agent', 'lead', 'profile', 'acp', 'provider', 'model'
    from generate_series(1, 9999) n;
insert into blob (tenant_id, id, key, store_id, state, size_bytes, sha256)
  select md5('tenant 0')::uuid, md5('pack ' || n)::uuid, 'key of pack ' || n, 'files', 'live', 7, md5('pack ' || n) from generate_series(1, 19998) n;
insert into checkpoint (tenant_id, agent_id, number, session_id, epoch, delivery_id, target_version, memory_version, reference, packs, files, size_bytes)
  select md5('tenant 0')::uuid, md5('resting ' || (n + 1) / 2)::uuid, n % 2, md5('session ' || (n + 1) / 2 * 10)::uuid, 1, md5('delivery ' || n)::uuid, 1, 0, 'r',
         array[md5('pack ' || n)::uuid], '[]', 7 from generate_series(1, 19998) n;
insert into checkpoint_pack (tenant_id, blob_id, agent_id, raw_bytes)
  select md5('tenant 0')::uuid, md5('pack ' || n)::uuid, md5('resting ' || (n + 1) / 2)::uuid, 7 from generate_series(1, 19998) n;
insert into message (tenant_id, id, session_id, sender)
  select md5('tenant 0')::uuid, md5('message ' || n)::uuid, md5('session 0')::uuid, '{"type": "operator", "id": "operator"}' from generate_series(1, 20000) n;
insert into delivery (tenant_id, id, session_id, message_id, agent_id, message_seq, status, plan, held, writing_at, trace_id)
  select md5('tenant 0')::uuid, md5('delivery ' || n)::uuid, md5('session 0')::uuid, md5('message ' || n)::uuid, md5('agent')::uuid, n, 'responded',
         '{"budget": {"bytes": {"used": 9}, "pixels": {"used": 9}, "images": {"used": 9}, "pages": {"used": 9}}}',
         '{"bytes": 1, "pixels": 2, "images": 3, "pages": 4}', timestamptz '2026-02-01', '' from generate_series(1, 20000) n;

insert into message_text (tenant_id, message_id, text)
  select md5('tenant 0')::uuid, md5('message ' || n)::uuid, 'hello' from generate_series(1, 20000) n;
insert into message_attachment (tenant_id, message_id, position, attachment_id)
  select md5('tenant 0')::uuid, md5('message ' || n)::uuid, 1, md5('attachment ' || n)::uuid from generate_series(1, 20000) n;
insert into access_grant (tenant_id, id, session_id, attachment_id, agent_id, message_id)
  select md5('tenant 0')::uuid, md5('grant ' || n)::uuid, md5('session 0')::uuid, md5('attachment ' || n)::uuid, md5('agent')::uuid, md5('message ' || n)::uuid
    from generate_series(1, 20000) n;
insert into delivery_transition (tenant_id, delivery_id, position, status, actor, attempt, trace_id)
  select md5('tenant 0')::uuid, md5('delivery ' || n)::uuid, p, 'written', '{"type": "service", "id": "runner-gateway"}', 1, ''
    from generate_series(1, 20000) n, generate_series(1, 5) p;
insert into wire_finding (tenant_id, delivery_id, row_name, kind, program_version, session_id, finding)
  select md5('tenant 0')::uuid, md5('delivery ' || n)::uuid, 'row ' || n % 100, 'image', '1', md5('session 0')::uuid, 'kept' from generate_series(1, 20000) n;

insert into blob (tenant_id, id, key, store_id, state, size_bytes, sha256)
  select md5('tenant 2')::uuid, md5('doomed ' || n)::uuid, 'key of doomed ' || n, 'files', 'deleted', 42, md5('doomed ' || n) from generate_series(1, 20000) n;
insert into replica (id, incarnation, lease_until) values ('ingest', md5('living')::uuid, '2100-01-01');
insert into blob (tenant_id, id, key, store_id, state, reserved_bytes, holder, created_at)
  select md5('tenant 3')::uuid, md5('reserved ' || n)::uuid, 'key of reserved ' || n, 'files', 'reserved', 1,
         md5(case when n % 2 = 0 then 'living' else 'dead' end)::uuid, timestamptz '2026-01-01' from generate_series(1, 20000) n;
insert into blob (tenant_id, id, key, store_id, state, reserved_bytes, size_bytes, condemned_at)
  select md5('tenant 3')::uuid, md5('left ' || n)::uuid, 'key of left ' || n, 'files', 'condemned', 1, case when n > 500 then 0 end, timestamptz '2026-01-01' from generate_series(1, 20000) n;
insert into idempotency (tenant_id, route, session_id, key, created_at, expires_at)
  select md5('tenant 1')::uuid, 'sendMessage', md5('session 1')::uuid, 'key ' || n, timestamptz '2026-01-01', timestamptz '2100-01-01' from generate_series(1, 50000) n;
update idempotency set state = 'done' where tenant_id = md5('tenant 0')::uuid;

insert into outbox (tenant_id, id, subject, data, state, created_at)
  select md5('tenant ' || n % 10)::uuid, md5('waiting ' || n)::uuid, 'attachment.added', '{}', 'waiting', timestamptz '2026-01-02' from generate_series(1, 20000) n;
insert into dead_letter (tenant_id, id, consumer, subject, data, reason, attempts, created_at, replayed_at)
  select md5('tenant ' || n % 5)::uuid, md5('dead ' || n)::uuid, 'projector', 'attachment.added', '{}', '', 5, timestamptz '2026-01-01' + n * interval '1 second',
         case when n <= 36000 then now() end from generate_series(1, 40000) n;
insert into audit_log (tenant_id, id, at, actor, action)
  select md5('tenant 0')::uuid, md5('audit ' || n)::uuid, timestamptz '2026-01-01' + n * interval '1 second', '{"type": "operator", "id": "operator"}',
         case when n % 2 = 0 then 'access.denied' else 'key.created' end from generate_series(1, 100000) n;
insert into model_use (tenant_id, day, session_id, agent_id, provider, model, requests)
  select md5('tenant 0')::uuid, date '2026-01-01' + n / 1000, md5('session ' || n)::uuid, md5('agent')::uuid, 'provider', 'model ' || n % 10, 1 from generate_series(1, 100000) n;
insert into day_use (tenant_id, day, requests) select md5('tenant 0')::uuid, date '2020-01-01' + n, 1 from generate_series(1, 2000) n;
-- As many as a tenant may have. Its tenants are gone, so that no sweep visits them.
insert into tenant (tenant_id, name, deleted_at) select md5('tenant ' || n)::uuid, 'tenant-' || n, now() from generate_series(10, 509) n;
insert into tenant_origin (tenant_id, origin) select md5('tenant ' || 10 + n / 100)::uuid, 'https://' || n || '.example' from generate_series(0, 49999) n;
update session set status = 'ended', ended_at = timestamptz '2026-01-01' where id in (select md5('session ' || n)::uuid from generate_series(90000, 99999) n);

update agent set resident = attache_sum_held(tenant_id, id, context_since);
update session set last_seq = 200000 where id = md5('session 0')::uuid;

set session_replication_role = default;
