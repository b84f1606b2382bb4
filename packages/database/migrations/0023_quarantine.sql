CREATE TABLE "quarantine" (
	"tenant_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"wire_sha256" text NOT NULL,
	"session_id" uuid NOT NULL,
	"attachment_id" uuid,
	"target_version" integer NOT NULL,
	"code" text NOT NULL,
	"is_group" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "quarantine_tenant_id_agent_id_wire_sha256_pk" PRIMARY KEY("tenant_id","agent_id","wire_sha256")
);
--> statement-breakpoint
ALTER TABLE "quarantine" ADD CONSTRAINT "quarantine_tenant_id_agent_id_agent_tenant_id_id_fk" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "public"."agent"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "quarantine_of_session" ON "quarantine" USING btree ("tenant_id","session_id");--> statement-breakpoint
alter table quarantine enable row level security;
--> statement-breakpoint
alter table quarantine force row level security;
--> statement-breakpoint
create policy tenant_only on quarantine for all to attache_app using (tenant_id = attache_tenant_id()) with check (tenant_id = attache_tenant_id());
--> statement-breakpoint
grant select, insert, update, delete on quarantine to attache_app;
