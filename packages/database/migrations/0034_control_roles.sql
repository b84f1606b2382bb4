-- Each login has of the control tables what its service needs. Ingest enters no role for them: functions do for it what it needs, one thing each. Operators
-- have a login of their own, which alone enters `attache_worker`. What each may is in service-rights.ts, and a test compares the two.
do $$
declare role_name text; guarded record;
begin
  foreach role_name in array array['attache_operator_app', 'attache_projector_worker', 'attache_gateway_worker', 'attache_control'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then null;
    end;
    execute format('grant usage on schema public to %I', role_name);
  end loop;
  -- The rows that an operator sees are those of one tenant at a time, too.
  for guarded in select tablename, policyname, array_to_string(array(select quote_ident(r) from unnest(roles) r), ', ') as names
    from pg_policies where schemaname = 'public' and 'attache_ingest_app' = any(roles) loop
    execute format('alter policy %I on %I to %s, attache_operator_app', guarded.policyname, guarded.tablename, guarded.names);
  end loop;
  execute format('grant attache_control to %I', current_user);
end $$;
--> statement-breakpoint
-- Of content, what commands of operators need.
grant select, insert, update on tenant, api_key to attache_operator_app;
--> statement-breakpoint
grant select, update on blob, attachment, delivery, tenant_secret to attache_operator_app;
--> statement-breakpoint
grant select, delete on variant, wire_finding, capability_contradiction to attache_operator_app;
--> statement-breakpoint
grant select on message_attachment, session, catalog_contradiction to attache_operator_app;
--> statement-breakpoint
grant update (last_seq) on session to attache_operator_app;
--> statement-breakpoint
grant select (tenant_id, id, context_since, removed_at, resident, target_version), update (resident) on agent to attache_operator_app;
--> statement-breakpoint
grant select, insert on delivery_transition to attache_operator_app;
--> statement-breakpoint
grant insert on session_log, audit_log, outbox to attache_operator_app;
--> statement-breakpoint
grant execute on function attache_schema_version(), attache_functions_number(), attache_tenant_named(text) to attache_operator_app;
--> statement-breakpoint
-- Ingest keeps of these what clients ask for.
revoke update on tenant from attache_ingest_app;
--> statement-breakpoint
grant update (reserved_bytes, used_bytes, condemned_bytes) on tenant to attache_ingest_app;
--> statement-breakpoint
revoke delete on variant from attache_ingest_app;
--> statement-breakpoint
revoke insert, delete on capability_contradiction from attache_ingest_app;
--> statement-breakpoint
revoke select, delete on wire_finding from attache_ingest_app;
--> statement-breakpoint
-- Of control tables: the projector settles its messages and keeps the tables small; the gateway settles its own, and owns sessions.
alter policy worker_all on outbox to attache_worker, attache_projector_worker, attache_gateway_worker, attache_control;
--> statement-breakpoint
alter policy worker_all on inbox to attache_worker, attache_projector_worker, attache_gateway_worker;
--> statement-breakpoint
alter policy worker_all on dead_letter to attache_worker, attache_projector_worker, attache_gateway_worker, attache_control;
--> statement-breakpoint
alter policy worker_all on sweep to attache_worker, attache_projector_worker;
--> statement-breakpoint
alter policy worker_all on session_owner to attache_worker, attache_gateway_worker;
--> statement-breakpoint
alter policy worker_all on profile_probe to attache_worker, attache_gateway_worker;
--> statement-breakpoint
alter policy worker_all on catalog_contradiction to attache_worker, attache_gateway_worker;
--> statement-breakpoint
alter policy worker_all on replica to attache_worker, attache_control;
--> statement-breakpoint
-- What a message says of whom, and under which subject, nobody changes.
grant select, update (state, attempts, emission, deferrals, available_at, claimed_until, published_at, settled_at) on outbox
  to attache_projector_worker, attache_gateway_worker, attache_control;
--> statement-breakpoint
grant select, insert on inbox to attache_projector_worker, attache_gateway_worker;
--> statement-breakpoint
grant delete on outbox, inbox to attache_projector_worker;
--> statement-breakpoint
grant select, insert, update (reason, attempts, created_at, replayed_at) on dead_letter to attache_projector_worker, attache_gateway_worker;
--> statement-breakpoint
grant select, insert, update on sweep to attache_projector_worker;
--> statement-breakpoint
grant select, insert, update, delete on session_owner to attache_gateway_worker;
--> statement-breakpoint
grant select, insert, update on profile_probe to attache_gateway_worker;
--> statement-breakpoint
grant select, delete on catalog_contradiction to attache_gateway_worker;
--> statement-breakpoint
grant execute on function attache_is_alive(uuid) to attache_gateway_worker;
--> statement-breakpoint
grant execute on function attache_tenant_ids_after(uuid, int), attache_tenants_with_abandoned_blobs(timestamptz), attache_tenants_with_ended_reservations()
  to attache_projector_worker;
--> statement-breakpoint
grant select, insert, update on replica to attache_control;
--> statement-breakpoint
grant select (replayed_at) on dead_letter to attache_control;
--> statement-breakpoint
-- A function changes its owner only to a role that may create in its schema.
grant create on schema public to attache_control;
--> statement-breakpoint
-- The functions of that role; their text is in the functions.sql of outbox, session and dead-letters, which is applied after this.
do $$
declare made record; app_roles text := 'attache_app, attache_ingest_app, attache_projector_app, attache_gateway_app';
begin
  for made in select * from (values
      ('attache_control_claim', 'p jsonb', 'jsonb', app_roles), ('attache_control_claim_many', 'p jsonb', 'jsonb', null), ('attache_control_published', 'p jsonb', 'void', app_roles),
      ('attache_control_return', 'p jsonb', 'void', app_roles), ('attache_control_reconcile', 'p jsonb', 'int', app_roles), ('attache_control_backlog', 'p_subjects text[]', 'jsonb', app_roles),
      ('attache_control_take_lease', 'p jsonb', 'jsonb', app_roles), ('attache_control_renew_lease', 'p jsonb', 'text', app_roles), ('attache_control_count_dead', '', 'bigint', app_roles || ', attache_operator_app')
    ) as f(name, arguments, answer, callers) loop
    execute format('create function %I(%s) returns %s language plpgsql security definer set search_path = public, pg_temp as '
      || '''begin raise exception ''''attache: functions.sql was not applied''''; end''', made.name, made.arguments, made.answer);
    execute format('revoke execute on function %I from public', made.name);
    execute format('alter function %I owner to attache_control', made.name);
    if made.callers is not null then execute format('grant execute on function %I to %s', made.name, made.callers); end if;
  end loop;
end $$;
--> statement-breakpoint
revoke create on schema public from attache_control;
