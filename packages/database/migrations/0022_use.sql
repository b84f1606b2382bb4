CREATE TABLE "day_use" (
	"tenant_id" uuid NOT NULL,
	"day" date NOT NULL,
	"requests" bigint DEFAULT 0 NOT NULL,
	"uncounted_requests" bigint DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"cached_input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "day_use_tenant_id_day_pk" PRIMARY KEY("tenant_id","day")
);
--> statement-breakpoint
CREATE TABLE "model_use" (
	"tenant_id" uuid NOT NULL,
	"day" date NOT NULL,
	"session_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"requests" bigint DEFAULT 0 NOT NULL,
	"uncounted_requests" bigint DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"cached_input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "model_use_tenant_id_day_session_id_agent_id_provider_model_pk" PRIMARY KEY("tenant_id","day","session_id","agent_id","provider","model")
);
--> statement-breakpoint
ALTER TABLE "tenant" ADD COLUMN "tokens_per_day" bigint;--> statement-breakpoint
ALTER TABLE "day_use" ADD CONSTRAINT "day_use_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_use" ADD CONSTRAINT "model_use_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
alter table day_use enable row level security;
--> statement-breakpoint
alter table day_use force row level security;
--> statement-breakpoint
create policy tenant_only on day_use for all to attache_app using (tenant_id = attache_tenant_id()) with check (tenant_id = attache_tenant_id());
--> statement-breakpoint
grant select, insert, update, delete on day_use to attache_app;
--> statement-breakpoint
alter table model_use enable row level security;
--> statement-breakpoint
alter table model_use force row level security;
--> statement-breakpoint
create policy tenant_only on model_use for all to attache_app using (tenant_id = attache_tenant_id()) with check (tenant_id = attache_tenant_id());
--> statement-breakpoint
grant select, insert, update, delete on model_use to attache_app;
