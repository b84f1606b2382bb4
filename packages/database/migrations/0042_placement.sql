ALTER TABLE "agent" ADD COLUMN "live_by" uuid;--> statement-breakpoint
ALTER TABLE "replica" ADD COLUMN "placement" jsonb;--> statement-breakpoint
ALTER TABLE "tenant" ADD COLUMN "max_live_agents" integer;--> statement-breakpoint
CREATE INDEX "agent_live" ON "agent" USING btree ("tenant_id") WHERE live_by is not null;--> statement-breakpoint
CREATE INDEX "replica_incarnation" ON "replica" USING btree ("incarnation");
--> statement-breakpoint
grant create on schema public to attache_owner;
--> statement-breakpoint
-- Their texts are in the functions.sql of session, which is applied after this.
create function attache_other_gateways(p_replica text) returns jsonb language sql stable security definer set search_path = public, pg_temp as $$ select '[]'::jsonb $$;
--> statement-breakpoint
create function attache_count_living(p_agents jsonb) returns int language sql stable security definer set search_path = public, pg_temp as $$ select 0 $$;
--> statement-breakpoint
create function attache_find_places(p_session uuid, p_profile text) returns jsonb language plpgsql stable security definer set search_path = public, pg_temp as
  $$ begin raise exception 'attache: functions.sql was not applied'; end $$;
--> statement-breakpoint
create function attache_lease_end(p_incarnation uuid) returns timestamptz language sql stable security definer set search_path = public, pg_temp as $$ select now() $$;
--> statement-breakpoint
alter function attache_lease_end(uuid) owner to attache_owner;
--> statement-breakpoint
alter function attache_other_gateways(text) owner to attache_owner;
--> statement-breakpoint
alter function attache_count_living(jsonb) owner to attache_owner;
--> statement-breakpoint
alter function attache_find_places(uuid, text) owner to attache_owner;
--> statement-breakpoint
revoke create on schema public from attache_owner;
--> statement-breakpoint
revoke execute on function attache_other_gateways(text), attache_count_living(jsonb), attache_find_places(uuid, text), attache_lease_end(uuid) from public;
--> statement-breakpoint
grant execute on function attache_other_gateways(text) to attache_control;
--> statement-breakpoint
grant execute on function attache_count_living(jsonb), attache_find_places(uuid, text) to attache_app, attache_ingest_app, attache_gateway_app;
--> statement-breakpoint
grant execute on function attache_lease_end(uuid) to attache_worker, attache_gateway_worker;
