ALTER TABLE "delivery" ADD COLUMN "forwarding" text;--> statement-breakpoint
ALTER TABLE "replica" ADD COLUMN "started_at" timestamp (3) with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "replica" ADD COLUMN "drain_asked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "session_owner" ADD COLUMN "died_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "session_owner" ADD COLUMN "deaths" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "session_owner" ADD COLUMN "died_seq" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "session_owner" ADD COLUMN "move_to" text;--> statement-breakpoint
ALTER TABLE "session_owner" ADD COLUMN "move_asked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "parked_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "session_owner_moving" ON "session_owner" USING btree ("incarnation") WHERE move_to is not null and released_at is null;--> statement-breakpoint
CREATE INDEX "session_parked" ON "session" USING btree ("tenant_id","id") WHERE parked_at is not null;
--> statement-breakpoint
grant create on schema public to attache_control;
--> statement-breakpoint
-- Its text is in the functions.sql of session, which is applied after this.
do $$
begin
  create function attache_control_keep_lease(p jsonb) returns jsonb language plpgsql security definer set search_path = public, pg_temp as
    'begin raise exception ''attache: functions.sql was not applied''; end';
  revoke execute on function attache_control_keep_lease(jsonb) from public;
  alter function attache_control_keep_lease(jsonb) owner to attache_control;
  grant execute on function attache_control_keep_lease(jsonb) to attache_app, attache_gateway_app;
end $$;
--> statement-breakpoint
revoke create on schema public from attache_control;
--> statement-breakpoint
grant create on schema public to attache_owner;
--> statement-breakpoint
create function attache_is_active(p_replica text) returns boolean language sql stable security definer set search_path = public, pg_temp as $$ select false $$;
--> statement-breakpoint
alter function attache_is_active(text) owner to attache_owner;
--> statement-breakpoint
revoke create on schema public from attache_owner;
--> statement-breakpoint
revoke execute on function attache_is_active(text) from public;
--> statement-breakpoint
grant execute on function attache_is_active(text) to attache_worker, attache_gateway_worker;
--> statement-breakpoint
grant update (parked_at) on session to attache_operator_app;
