CREATE TABLE "capability_contradiction" (
	"tenant_id" uuid NOT NULL,
	"row_name" text NOT NULL,
	"kind" text NOT NULL,
	"program_version" text NOT NULL,
	"note" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "capability_contradiction_pk" PRIMARY KEY("tenant_id","row_name","kind","program_version")
);
--> statement-breakpoint
CREATE TABLE "catalog_contradiction" (
	"row_name" text NOT NULL,
	"kind" text NOT NULL,
	"program_version" text NOT NULL,
	"note" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "catalog_contradiction_pk" PRIMARY KEY("row_name","kind","program_version")
);
--> statement-breakpoint
CREATE TABLE "wire_finding" (
	"tenant_id" uuid NOT NULL,
	"delivery_id" uuid NOT NULL,
	"row_name" text NOT NULL,
	"kind" text NOT NULL,
	"program_version" text NOT NULL,
	"session_id" uuid NOT NULL,
	"finding" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "wire_finding_pk" PRIMARY KEY("tenant_id","delivery_id","kind")
);
--> statement-breakpoint
ALTER TABLE "capability_contradiction" ADD CONSTRAINT "capability_contradiction_tenant_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wire_finding" ADD CONSTRAINT "wire_finding_delivery_fk" FOREIGN KEY ("tenant_id","delivery_id") REFERENCES "public"."delivery"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "wire_finding_of_row" ON "wire_finding" USING btree ("tenant_id","row_name","kind","program_version");
--> statement-breakpoint
do $$
declare content_table text;
begin
  foreach content_table in array array['wire_finding', 'capability_contradiction'] loop
    execute format('alter table %I enable row level security', content_table);
    execute format('alter table %I force row level security', content_table);
    execute format('create policy tenant_only on %I for all to attache_app using (tenant_id = attache_tenant_id()) with check (tenant_id = attache_tenant_id())', content_table);
    execute format('grant select, insert, update, delete on %I to attache_app', content_table);
  end loop;
end $$;
--> statement-breakpoint
alter table catalog_contradiction enable row level security;
--> statement-breakpoint
alter table catalog_contradiction force row level security;
--> statement-breakpoint
create policy worker_all on catalog_contradiction for all to attache_worker using (true) with check (true);
--> statement-breakpoint
grant select, insert, update, delete on catalog_contradiction to attache_worker;
--> statement-breakpoint
-- What the operator says of a program is no tenant's: every tenant's plans read it.
create policy app_read on catalog_contradiction for select to attache_app using (true);
--> statement-breakpoint
grant select on catalog_contradiction to attache_app;
