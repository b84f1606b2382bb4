CREATE TABLE "tenant_secret" (
	"tenant_id" uuid NOT NULL,
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"kid" text NOT NULL,
	"enc" text NOT NULL,
	"ciphertext" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "tenant_secret_tenant_id_name_pk" PRIMARY KEY("tenant_id","name")
);
--> statement-breakpoint
ALTER TABLE "tenant_secret" ADD CONSTRAINT "tenant_secret_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
alter table tenant_secret enable row level security;
--> statement-breakpoint
alter table tenant_secret force row level security;
--> statement-breakpoint
create policy tenant_only on tenant_secret for all to attache_app using (tenant_id = attache_tenant_id()) with check (tenant_id = attache_tenant_id());
--> statement-breakpoint
grant select, insert, update, delete on tenant_secret to attache_app;
