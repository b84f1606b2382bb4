CREATE TABLE "checkpoint" (
	"tenant_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"session_id" uuid NOT NULL,
	"epoch" bigint NOT NULL,
	"delivery_id" uuid NOT NULL,
	"target_version" integer NOT NULL,
	"memory_version" integer NOT NULL,
	"reference" text NOT NULL,
	"program_version" text,
	"packs" uuid[] NOT NULL,
	"files" jsonb NOT NULL,
	"size_bytes" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "checkpoint_tenant_id_agent_id_number_pk" PRIMARY KEY("tenant_id","agent_id","number")
);
--> statement-breakpoint
CREATE TABLE "checkpoint_pack" (
	"tenant_id" uuid NOT NULL,
	"blob_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"raw_bytes" bigint NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "checkpoint_pack_tenant_id_blob_id_pk" PRIMARY KEY("tenant_id","blob_id")
);
--> statement-breakpoint
ALTER TABLE "agent" ADD COLUMN "memory_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "checkpoint" ADD CONSTRAINT "checkpoint_tenant_id_agent_id_agent_tenant_id_id_fk" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "public"."agent"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkpoint_pack" ADD CONSTRAINT "checkpoint_pack_tenant_id_blob_id_blob_tenant_id_id_fk" FOREIGN KEY ("tenant_id","blob_id") REFERENCES "public"."blob"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkpoint_pack" ADD CONSTRAINT "checkpoint_pack_tenant_id_agent_id_agent_tenant_id_id_fk" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "public"."agent"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "checkpoint_of_session" ON "checkpoint" USING btree ("tenant_id","session_id");--> statement-breakpoint
CREATE INDEX "checkpoint_pack_of_agent" ON "checkpoint_pack" USING btree ("tenant_id","agent_id");
--> statement-breakpoint
alter table checkpoint enable row level security;
--> statement-breakpoint
alter table checkpoint force row level security;
--> statement-breakpoint
alter table checkpoint_pack enable row level security;
--> statement-breakpoint
alter table checkpoint_pack force row level security;
--> statement-breakpoint
create policy tenant_only on checkpoint for all to attache_app, attache_ingest_app, attache_projector_app, attache_gateway_app, attache_operator_app
  using (tenant_id = (select attache_tenant_id())) with check (tenant_id = (select attache_tenant_id()));
--> statement-breakpoint
create policy tenant_only on checkpoint_pack for all to attache_app, attache_ingest_app, attache_projector_app, attache_gateway_app, attache_operator_app
  using (tenant_id = (select attache_tenant_id())) with check (tenant_id = (select attache_tenant_id()));
--> statement-breakpoint
grant select, insert, delete on checkpoint, checkpoint_pack to attache_app, attache_gateway_app;
--> statement-breakpoint
grant select, delete on checkpoint to attache_ingest_app;
--> statement-breakpoint
grant select on checkpoint_pack to attache_ingest_app;
--> statement-breakpoint
grant select on checkpoint, checkpoint_pack to attache_projector_app, attache_operator_app;
--> statement-breakpoint
create function attache_forget_deleted() returns trigger language plpgsql as $$
declare outdated uuid[] := attache_outdate_memory(new.tenant_id, new.id);
begin
  delete from checkpoint c where c.tenant_id = new.tenant_id and c.agent_id = any(outdated);
  return null;
end $$;
--> statement-breakpoint
create function attache_forget_agent() returns trigger language plpgsql as $$
begin
  delete from checkpoint c where c.tenant_id = new.tenant_id and c.agent_id = new.id;
  return null;
end $$;
--> statement-breakpoint
create function attache_forget_session() returns trigger language plpgsql as $$
begin
  delete from checkpoint c where c.tenant_id = new.tenant_id and c.session_id = new.id;
  return null;
end $$;
--> statement-breakpoint
create trigger forget_deleted after update of deleted_at on attachment
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function attache_forget_deleted();
--> statement-breakpoint
create trigger forget_agent after update of removed_at, target_version on agent
  for each row when (old.removed_at is distinct from new.removed_at or old.target_version <> new.target_version) execute function attache_forget_agent();
--> statement-breakpoint
create trigger forget_session after update of status on session
  for each row when (old.status = 'active' and new.status = 'ended') execute function attache_forget_session();
