-- Each service acts inside a tenant as a role of its own, with the rights that it needs. `attache_app` has those of all of them together, for a process
-- that is all services and for tests. What each may is in service-rights.ts, and a test compares the two.
do $$
declare role_name text; guarded record;
begin
  foreach role_name in array array['attache_ingest_app', 'attache_projector_app', 'attache_gateway_app'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then null;
    end;
    execute format('grant usage on schema public to %I', role_name);
    execute format('grant insert on outbox to %I', role_name);
    execute format('grant execute on function attache_schema_version(), attache_functions_number(), attache_is_alive(uuid) to %I', role_name);
  end loop;
  -- The rows that a role may see are those of its tenant, whatever its rights.
  for guarded in select tablename, policyname from pg_policies where schemaname = 'public' and roles = array['attache_app']::name[] loop
    execute format('alter policy %I on %I to attache_app, attache_ingest_app, attache_projector_app, attache_gateway_app', guarded.policyname, guarded.tablename);
  end loop;
end $$;
--> statement-breakpoint
-- Ingest: all that clients and operators ask for.
grant select, insert, update on tenant, api_key, tenant_user, participant, session, agent, blob, attachment, access_grant, delivery to attache_ingest_app;
--> statement-breakpoint
grant select, insert, update, delete on idempotency, capability_override, tenant_secret to attache_ingest_app;
--> statement-breakpoint
grant select, insert on attachment_name, message, message_text, message_attachment, delivery_transition, session_log, audit_log to attache_ingest_app;
--> statement-breakpoint
grant select, insert, delete on projection_job, capability_contradiction to attache_ingest_app;
--> statement-breakpoint
grant select, delete on variant, quarantine, wire_finding to attache_ingest_app;
--> statement-breakpoint
grant select on day_use, model_use, profile_probe, catalog_contradiction to attache_ingest_app;
--> statement-breakpoint
grant execute on function attache_tenant_of_key(uuid), attache_tenant_of_attachment(uuid), attache_tenant_named(text), attache_find_named(uuid, text, int) to attache_ingest_app;
--> statement-breakpoint
-- The projector: files, what is made of them, and deliveries until they are prepared; and, for its sweeps, what of idempotency keys says when they end.
grant select, insert, update on blob to attache_projector_app;
--> statement-breakpoint
grant select, update on attachment, delivery, projection_job to attache_projector_app;
--> statement-breakpoint
grant select, insert, delete on variant to attache_projector_app;
--> statement-breakpoint
grant select, insert on delivery_transition to attache_projector_app;
--> statement-breakpoint
grant select on attachment_name, message_attachment, message_text, tenant, session to attache_projector_app;
--> statement-breakpoint
grant update (reserved_bytes, used_bytes, condemned_bytes) on tenant to attache_projector_app;
--> statement-breakpoint
grant update (last_seq) on session to attache_projector_app;
--> statement-breakpoint
grant select (tenant_id, id, context_since, resident), update (resident) on agent to attache_projector_app;
--> statement-breakpoint
grant insert on session_log to attache_projector_app;
--> statement-breakpoint
grant select (tenant_id, route, session_id, key, state, holder, created_at, expires_at), delete on idempotency to attache_projector_app;
--> statement-breakpoint
-- Of what people write it reads what waits to be prepared.
alter policy tenant_only on message_text to attache_app, attache_ingest_app, attache_gateway_app;
--> statement-breakpoint
create policy waiting_only on message_text for select to attache_projector_app using (tenant_id = attache_tenant_id() and exists (
  select 1 from delivery d where d.tenant_id = message_text.tenant_id and d.message_id = message_text.message_id and d.status = 'queued'));
--> statement-breakpoint
-- The gateway: deliveries from then on, what agents make, what models use and refuse.
grant select, insert, update on blob, day_use, model_use to attache_gateway_app;
--> statement-breakpoint
grant select, insert on attachment, attachment_name, access_grant, delivery_transition, session_log, quarantine to attache_gateway_app;
--> statement-breakpoint
grant select, update on session, agent, delivery to attache_gateway_app;
--> statement-breakpoint
grant select, insert, delete on wire_finding, capability_contradiction to attache_gateway_app;
--> statement-breakpoint
grant select on tenant, variant, message_attachment, capability_override, tenant_secret, profile_probe, catalog_contradiction to attache_gateway_app;
--> statement-breakpoint
grant update (reserved_bytes, used_bytes, condemned_bytes) on tenant to attache_gateway_app;
--> statement-breakpoint
grant update (last_used_at) on tenant_secret to attache_gateway_app;
--> statement-breakpoint
grant insert on audit_log to attache_gateway_app;
--> statement-breakpoint
grant execute on function attache_tenant_named(text) to attache_gateway_app;
