CREATE TABLE "tenant_origin" (
	"tenant_id" uuid NOT NULL,
	"origin" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "tenant_origin_tenant_id_origin_pk" PRIMARY KEY("tenant_id","origin")
);
--> statement-breakpoint
ALTER TABLE "tenant_origin" ADD CONSTRAINT "tenant_origin_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "tenant_origin_lookup" ON "tenant_origin" USING btree ("origin");--> statement-breakpoint
-- Row-level security, also for the owner of the table.
alter table tenant_origin enable row level security;
--> statement-breakpoint
alter table tenant_origin force row level security;
--> statement-breakpoint
create policy tenant_only on tenant_origin for all to attache_app, attache_ingest_app, attache_projector_app, attache_gateway_app, attache_operator_app
  using (tenant_id = (select attache_tenant_id())) with check (tenant_id = (select attache_tenant_id()));
--> statement-breakpoint
-- The look-up of a preflight, before a tenant is known.
create policy owner_lookup on tenant_origin for select to attache_owner using (true);
--> statement-breakpoint
grant select on tenant_origin to attache_owner;
--> statement-breakpoint
grant select, insert, delete on tenant_origin to attache_app, attache_ingest_app;
