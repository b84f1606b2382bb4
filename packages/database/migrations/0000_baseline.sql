-- The first migration: everything that the schema of version 0.1.0 has besides its SQL functions, which follow in the same transaction.

-- Roles. Services enter `…_app` inside one tenant and `…_worker` for control tables; without a prefix of a service, they are those of the embedded stack.
-- `attache_owner`, `attache_pruner`, `attache_control` and `attache_teller` own functions and log in nowhere. A role belongs to the server: another
-- database may have made it.
do $$
declare role_name text;
begin
  foreach role_name in array array[
    'attache_app', 'attache_worker', 'attache_ingest_app', 'attache_projector_app', 'attache_gateway_app', 'attache_operator_app',
    'attache_projector_worker', 'attache_gateway_worker', 'attache_owner', 'attache_pruner', 'attache_control', 'attache_teller']
  loop
    begin execute format('create role %I nologin', role_name); exception when duplicate_object then null; end;
    execute format('grant usage on schema public to %I', role_name);
  end loop;
end $$;
--> statement-breakpoint
-- A table of a session's own would stand before the real one.
do $$ begin execute format('revoke temporary on database %I from public', current_database()); end $$;
--> statement-breakpoint
-- Functions that an index, a policy or a trigger names. Their bodies are in the script of functions.
create function attache_tenant_id() returns uuid language sql stable as 'select null::uuid';
--> statement-breakpoint
create function attache_name_grams(p_session uuid, p_folded text) returns tsvector language plpgsql immutable strict parallel safe as 'begin return null; end';
--> statement-breakpoint
create function attache_count_condemned() returns trigger language plpgsql as 'begin return null; end';
--> statement-breakpoint
create function attache_forget_agent() returns trigger language plpgsql as 'begin return null; end';
--> statement-breakpoint
create function attache_forget_deleted() returns trigger language plpgsql as 'begin return null; end';
--> statement-breakpoint
create function attache_forget_session() returns trigger language plpgsql as 'begin return null; end';
--> statement-breakpoint
create function attache_keep_held() returns trigger language plpgsql as 'begin return null; end';
--> statement-breakpoint
create function attache_recount_held() returns trigger language plpgsql as 'begin return null; end';
--> statement-breakpoint
-- The release of the SQL functions that the database has, in one row.
create table drizzle.__attache_functions (
  "number" integer not null,
  "checksum" text not null,
  "applied_at" timestamp (3) with time zone default now() not null
);
--> statement-breakpoint
-- Tables, as drizzle-kit makes them of schema.ts.
CREATE TABLE "access_grant" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"attachment_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"message_id" uuid,
	"rights" text[] DEFAULT '{"read"}' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "access_grant_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "attachment" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"blob_id" uuid NOT NULL,
	"declared_mime_type" text,
	"mime_type" text NOT NULL,
	"kind" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"origin" text NOT NULL,
	"source" text,
	"status" text DEFAULT 'pending' NOT NULL,
	"failure" jsonb,
	"facts" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"uploaded_by" text,
	"url_generation" integer DEFAULT 1 NOT NULL,
	"trace" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"inspected_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"legal_hold" boolean DEFAULT false NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "attachment_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "attachment_name" (
	"tenant_id" uuid NOT NULL,
	"attachment_id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"name" text NOT NULL,
	"folded_name" text NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "attachment_name_tenant_id_attachment_id_pk" PRIMARY KEY("tenant_id","attachment_id")
);
--> statement-breakpoint
CREATE TABLE "projection_job" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"plan" jsonb NOT NULL,
	"parts" jsonb,
	"failure" jsonb,
	"trace" jsonb,
	"state" text DEFAULT 'waiting' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "projection_job_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "variant" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"source_sha256" text NOT NULL,
	"blob_id" uuid NOT NULL,
	"purpose" text NOT NULL,
	"recipe" text NOT NULL,
	"mime_type" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"width" integer,
	"height" integer,
	"scale" double precision,
	"page" integer,
	"crop" jsonb,
	"warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "variant_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "blob" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"key" text NOT NULL,
	"store_id" text NOT NULL,
	"enc_key_id" text DEFAULT 'none' NOT NULL,
	"state" text DEFAULT 'reserved' NOT NULL,
	"reserved_bytes" bigint DEFAULT 0 NOT NULL,
	"holder" uuid,
	"pooled" boolean DEFAULT false NOT NULL,
	"size_bytes" bigint,
	"sha256" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"condemned_at" timestamp (3) with time zone,
	"confirmed_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "blob_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "sweep" (
	"name" text PRIMARY KEY NOT NULL,
	"last_run_at" timestamp (3) with time zone NOT NULL,
	"found" integer DEFAULT 0 NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "dead_letter" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"consumer" text NOT NULL,
	"subject" text NOT NULL,
	"data" jsonb NOT NULL,
	"trace" jsonb,
	"reason" text NOT NULL,
	"attempts" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"replayed_at" timestamp (3) with time zone,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "dead_letter_tenant_id_id_consumer_pk" PRIMARY KEY("tenant_id","id","consumer")
);
--> statement-breakpoint
CREATE TABLE "delivery" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"message_seq" bigint NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"attempts" integer DEFAULT 1 NOT NULL,
	"plan" jsonb NOT NULL,
	"target_version" integer DEFAULT 1 NOT NULL,
	"parts" jsonb,
	"failure" jsonb,
	"receipt" jsonb,
	"trace" jsonb,
	"trace_id" text NOT NULL,
	"writing_at" timestamp (3) with time zone,
	"forwarding" text,
	"held" jsonb,
	"left_before" jsonb,
	"epoch" bigint,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "delivery_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "delivery_transition" (
	"tenant_id" uuid NOT NULL,
	"delivery_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"status" text NOT NULL,
	"actor" jsonb NOT NULL,
	"epoch" bigint,
	"attempt" integer NOT NULL,
	"trace_id" text NOT NULL,
	"code" text,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "delivery_transition_tenant_id_delivery_id_position_pk" PRIMARY KEY("tenant_id","delivery_id","position")
);
--> statement-breakpoint
CREATE TABLE "idempotency" (
	"tenant_id" uuid NOT NULL,
	"route" text NOT NULL,
	"session_id" uuid NOT NULL,
	"key" text NOT NULL,
	"state" text DEFAULT 'in-progress' NOT NULL,
	"fingerprint" text,
	"status" integer,
	"sealed_answer" text,
	"principal" text,
	"holder" uuid,
	"ticket" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "idempotency_tenant_id_route_session_id_key_pk" PRIMARY KEY("tenant_id","route","session_id","key")
);
--> statement-breakpoint
CREATE TABLE "api_key" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"name" text NOT NULL,
	"secret_hash" text NOT NULL,
	"scopes" text[] NOT NULL,
	"trusted_trace" boolean DEFAULT false NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"rotated_from" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "api_key_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "message" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"sender" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "message_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "message_attachment" (
	"tenant_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"attachment_id" uuid NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "message_attachment_tenant_id_message_id_position_pk" PRIMARY KEY("tenant_id","message_id","position")
);
--> statement-breakpoint
CREATE TABLE "message_text" (
	"tenant_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"text" text NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "message_text_tenant_id_message_id_pk" PRIMARY KEY("tenant_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "inbox" (
	"tenant_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"consumer" text NOT NULL,
	"handled_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "inbox_tenant_id_event_id_consumer_pk" PRIMARY KEY("tenant_id","event_id","consumer")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"subject" text NOT NULL,
	"data" jsonb NOT NULL,
	"trace" jsonb,
	"state" text DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"emission" integer DEFAULT 0 NOT NULL,
	"deferrals" integer DEFAULT 0 NOT NULL,
	"published_at" timestamp (3) with time zone,
	"available_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"claimed_until" timestamp (3) with time zone,
	"settled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "outbox_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
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
CREATE TABLE "agent" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"profile" text NOT NULL,
	"runtime" text NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"target_version" integer DEFAULT 1 NOT NULL,
	"status" text DEFAULT 'idle' NOT NULL,
	"memory_version" integer DEFAULT 0 NOT NULL,
	"context_since" timestamp (3) with time zone,
	"resident" jsonb,
	"live_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"removed_at" timestamp (3) with time zone,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "agent_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "replica" (
	"id" text PRIMARY KEY NOT NULL,
	"incarnation" uuid NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"drain_asked_at" timestamp (3) with time zone,
	"placement" jsonb,
	"schema_version" integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "session_owner" (
	"tenant_id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"replica_id" text NOT NULL,
	"incarnation" uuid NOT NULL,
	"epoch" bigint NOT NULL,
	"released_at" timestamp (3) with time zone,
	"died_at" timestamp (3) with time zone,
	"deaths" integer DEFAULT 0 NOT NULL,
	"died_seq" bigint DEFAULT 0 NOT NULL,
	"move_to" text,
	"move_asked_at" timestamp (3) with time zone,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "session_owner_tenant_id_session_id_pk" PRIMARY KEY("tenant_id","session_id")
);
--> statement-breakpoint
CREATE TABLE "participant" (
	"tenant_id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"rights" text[] NOT NULL,
	"token_generation" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "participant_tenant_id_session_id_user_id_pk" PRIMARY KEY("tenant_id","session_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "tenant_user" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"external_user_id" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "tenant_user_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "tenant_user_tenant_id_external_user_id_unique" UNIQUE("tenant_id","external_user_id")
);
--> statement-breakpoint
CREATE TABLE "session_log" (
	"tenant_id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"id" uuid NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"kind" text NOT NULL,
	"actor" jsonb NOT NULL,
	"trace_id" text NOT NULL,
	"data" jsonb NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "session_log_tenant_id_session_id_seq_pk" PRIMARY KEY("tenant_id","session_id","seq")
);
--> statement-breakpoint
CREATE TABLE "session" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"external_id" text,
	"status" text DEFAULT 'active' NOT NULL,
	"last_seq" bigint DEFAULT 0 NOT NULL,
	"replay_policy" jsonb NOT NULL,
	"conversions" text DEFAULT 'allow' NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"token_generation" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"legal_hold" boolean DEFAULT false NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"parked_at" timestamp (3) with time zone,
	"pruned_at" timestamp (3) with time zone,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "session_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"actor" jsonb NOT NULL,
	"action" text NOT NULL,
	"subject_id" text,
	"data" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "audit_log_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "capability_override" (
	"tenant_id" uuid NOT NULL,
	"profile" text NOT NULL,
	"model" text NOT NULL,
	"capability" jsonb NOT NULL,
	"reason" text NOT NULL,
	"author" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "capability_override_tenant_id_profile_model_pk" PRIMARY KEY("tenant_id","profile","model")
);
--> statement-breakpoint
CREATE TABLE "profile_probe" (
	"profile" text NOT NULL,
	"program_version" text NOT NULL,
	"declared" jsonb NOT NULL,
	"probed_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "profile_probe_profile_program_version_pk" PRIMARY KEY("profile","program_version")
);
--> statement-breakpoint
CREATE TABLE "tenant" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"max_upload_bytes" bigint,
	"quota_bytes" bigint,
	"tokens_per_day" bigint,
	"max_live_agents" integer,
	"reserved_bytes" bigint DEFAULT 0 NOT NULL,
	"used_bytes" bigint DEFAULT 0 NOT NULL,
	"condemned_bytes" bigint DEFAULT 0 NOT NULL,
	"url_generation" integer DEFAULT 1 NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"legal_hold" boolean DEFAULT false NOT NULL,
	"suspended_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "tenant_name_unique" UNIQUE("name")
);
--> statement-breakpoint
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
ALTER TABLE "access_grant" ADD CONSTRAINT "access_grant_tenant_id_attachment_id_attachment_tenant_id_id_fk" FOREIGN KEY ("tenant_id","attachment_id") REFERENCES "public"."attachment"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_grant" ADD CONSTRAINT "access_grant_tenant_id_agent_id_agent_tenant_id_id_fk" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "public"."agent"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_tenant_id_session_id_session_tenant_id_id_fk" FOREIGN KEY ("tenant_id","session_id") REFERENCES "public"."session"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_tenant_id_blob_id_blob_tenant_id_id_fk" FOREIGN KEY ("tenant_id","blob_id") REFERENCES "public"."blob"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment_name" ADD CONSTRAINT "attachment_name_tenant_id_attachment_id_attachment_tenant_id_id_fk" FOREIGN KEY ("tenant_id","attachment_id") REFERENCES "public"."attachment"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projection_job" ADD CONSTRAINT "projection_job_tenant_id_session_id_session_tenant_id_id_fk" FOREIGN KEY ("tenant_id","session_id") REFERENCES "public"."session"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variant" ADD CONSTRAINT "variant_tenant_id_blob_id_blob_tenant_id_id_fk" FOREIGN KEY ("tenant_id","blob_id") REFERENCES "public"."blob"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "blob" ADD CONSTRAINT "blob_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkpoint" ADD CONSTRAINT "checkpoint_tenant_id_agent_id_agent_tenant_id_id_fk" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "public"."agent"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkpoint_pack" ADD CONSTRAINT "checkpoint_pack_tenant_id_blob_id_blob_tenant_id_id_fk" FOREIGN KEY ("tenant_id","blob_id") REFERENCES "public"."blob"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkpoint_pack" ADD CONSTRAINT "checkpoint_pack_tenant_id_agent_id_agent_tenant_id_id_fk" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "public"."agent"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "capability_contradiction" ADD CONSTRAINT "capability_contradiction_tenant_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wire_finding" ADD CONSTRAINT "wire_finding_delivery_fk" FOREIGN KEY ("tenant_id","delivery_id") REFERENCES "public"."delivery"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_tenant_id_message_id_message_tenant_id_id_fk" FOREIGN KEY ("tenant_id","message_id") REFERENCES "public"."message"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_tenant_id_agent_id_agent_tenant_id_id_fk" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "public"."agent"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery_transition" ADD CONSTRAINT "delivery_transition_tenant_id_delivery_id_delivery_tenant_id_id_fk" FOREIGN KEY ("tenant_id","delivery_id") REFERENCES "public"."delivery"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message" ADD CONSTRAINT "message_tenant_id_session_id_session_tenant_id_id_fk" FOREIGN KEY ("tenant_id","session_id") REFERENCES "public"."session"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_attachment" ADD CONSTRAINT "message_attachment_tenant_id_message_id_message_tenant_id_id_fk" FOREIGN KEY ("tenant_id","message_id") REFERENCES "public"."message"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_attachment" ADD CONSTRAINT "message_attachment_tenant_id_attachment_id_attachment_tenant_id_id_fk" FOREIGN KEY ("tenant_id","attachment_id") REFERENCES "public"."attachment"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_text" ADD CONSTRAINT "message_text_tenant_id_message_id_message_tenant_id_id_fk" FOREIGN KEY ("tenant_id","message_id") REFERENCES "public"."message"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "quarantine" ADD CONSTRAINT "quarantine_tenant_id_agent_id_agent_tenant_id_id_fk" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "public"."agent"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenant_secret" ADD CONSTRAINT "tenant_secret_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent" ADD CONSTRAINT "agent_tenant_id_session_id_session_tenant_id_id_fk" FOREIGN KEY ("tenant_id","session_id") REFERENCES "public"."session"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "participant" ADD CONSTRAINT "participant_tenant_id_session_id_session_tenant_id_id_fk" FOREIGN KEY ("tenant_id","session_id") REFERENCES "public"."session"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "participant" ADD CONSTRAINT "participant_tenant_id_user_id_tenant_user_tenant_id_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."tenant_user"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenant_user" ADD CONSTRAINT "tenant_user_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_log" ADD CONSTRAINT "session_log_tenant_id_session_id_session_tenant_id_id_fk" FOREIGN KEY ("tenant_id","session_id") REFERENCES "public"."session"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session" ADD CONSTRAINT "session_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "capability_override" ADD CONSTRAINT "capability_override_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "day_use" ADD CONSTRAINT "day_use_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_use" ADD CONSTRAINT "model_use_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "access_grant_of_attachment" ON "access_grant" USING btree ("tenant_id","attachment_id");--> statement-breakpoint
CREATE INDEX "access_grant_of_agent" ON "access_grant" USING btree ("tenant_id","agent_id","attachment_id");--> statement-breakpoint
CREATE INDEX "attachment_of_session" ON "attachment" USING btree ("tenant_id","session_id","created_at","id");--> statement-breakpoint
CREATE INDEX "attachment_of_kind" ON "attachment" USING btree ("tenant_id","session_id","kind","created_at","id");--> statement-breakpoint
CREATE INDEX "attachment_id" ON "attachment" USING btree ("id");--> statement-breakpoint
CREATE INDEX "attachment_of_blob" ON "attachment" USING btree ("tenant_id","blob_id");--> statement-breakpoint
CREATE INDEX "attachment_of_digest" ON "attachment" USING btree ("tenant_id","sha256");--> statement-breakpoint
CREATE INDEX "attachment_name_grams" ON "attachment_name" USING gin (attache_name_grams(session_id, folded_name)) WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "projection_job_of_session" ON "projection_job" USING btree ("tenant_id","session_id");--> statement-breakpoint
CREATE INDEX "projection_job_age" ON "projection_job" USING btree ("tenant_id","created_at");--> statement-breakpoint
CREATE INDEX "variant_of_source" ON "variant" USING btree ("tenant_id","source_sha256");--> statement-breakpoint
CREATE INDEX "variant_of_blob" ON "variant" USING btree ("tenant_id","blob_id");--> statement-breakpoint
CREATE INDEX "blob_key" ON "blob" USING btree ("tenant_id","key");--> statement-breakpoint
CREATE INDEX "blob_sha256" ON "blob" USING btree ("tenant_id","sha256");--> statement-breakpoint
CREATE INDEX "blob_live" ON "blob" USING btree ("tenant_id","id") WHERE state = 'live';--> statement-breakpoint
CREATE INDEX "blob_collectable" ON "blob" USING btree ("tenant_id","state","id") WHERE state in ('reserved', 'condemned');--> statement-breakpoint
CREATE INDEX "blob_undeleted" ON "blob" USING btree ("tenant_id","id") WHERE state = 'deleted' and deleted_at is null;--> statement-breakpoint
CREATE INDEX "blob_abandoned" ON "blob" USING btree ("tenant_id","id") WHERE state in ('reserved', 'condemned') and sha256 is null;--> statement-breakpoint
CREATE INDEX "blob_unmeasured" ON "blob" USING btree ("tenant_id","id") WHERE sha256 is null and state = 'condemned' and size_bytes is null;--> statement-breakpoint
CREATE INDEX "blob_holder" ON "blob" USING btree ("tenant_id","holder") WHERE state = 'reserved' and holder is not null;--> statement-breakpoint
CREATE INDEX "blob_pooled" ON "blob" USING btree ("tenant_id") WHERE state = 'reserved' and pooled;--> statement-breakpoint
CREATE INDEX "blob_unsettled" ON "blob" USING btree ("state","created_at") WHERE state in ('reserved', 'condemned');--> statement-breakpoint
CREATE INDEX "checkpoint_of_session" ON "checkpoint" USING btree ("tenant_id","session_id");--> statement-breakpoint
CREATE INDEX "checkpoint_pack_of_agent" ON "checkpoint_pack" USING btree ("tenant_id","agent_id");--> statement-breakpoint
CREATE INDEX "wire_finding_of_row" ON "wire_finding" USING btree ("tenant_id","row_name","kind","program_version");--> statement-breakpoint
CREATE INDEX "dead_letter_list" ON "dead_letter" USING btree ("created_at","tenant_id","id","consumer");--> statement-breakpoint
CREATE INDEX "dead_letter_unreplayed" ON "dead_letter" USING btree ("created_at","tenant_id","id","consumer") WHERE replayed_at is null;--> statement-breakpoint
CREATE INDEX "delivery_of_agent" ON "delivery" USING btree ("tenant_id","agent_id","message_seq");--> statement-breakpoint
CREATE INDEX "delivery_line" ON "delivery" USING btree ("tenant_id","agent_id","message_seq","id") WHERE status in ('queued', 'prepared', 'claimed', 'written');--> statement-breakpoint
CREATE INDEX "delivery_written" ON "delivery" USING btree ("tenant_id","agent_id","writing_at") WHERE writing_at is not null;--> statement-breakpoint
CREATE INDEX "delivery_left" ON "delivery" USING btree ("tenant_id","agent_id",(left_before->>'at')) WHERE left_before is not null;--> statement-breakpoint
CREATE INDEX "delivery_of_session" ON "delivery" USING btree ("tenant_id","session_id","status");--> statement-breakpoint
CREATE INDEX "delivery_of_message" ON "delivery" USING btree ("tenant_id","message_id");--> statement-breakpoint
CREATE INDEX "idempotency_open" ON "idempotency" USING btree ("tenant_id","created_at") WHERE state = 'in-progress';--> statement-breakpoint
CREATE INDEX "idempotency_expiry" ON "idempotency" USING btree ("tenant_id","expires_at");--> statement-breakpoint
CREATE INDEX "api_key_id" ON "api_key" USING btree ("id");--> statement-breakpoint
CREATE INDEX "api_key_list" ON "api_key" USING btree ("tenant_id","created_at","id");--> statement-breakpoint
CREATE INDEX "api_key_successor" ON "api_key" USING btree ("tenant_id","rotated_from") WHERE rotated_from is not null;--> statement-breakpoint
CREATE INDEX "message_of_session" ON "message" USING btree ("tenant_id","session_id");--> statement-breakpoint
CREATE INDEX "message_attachment_of_attachment" ON "message_attachment" USING btree ("tenant_id","attachment_id");--> statement-breakpoint
CREATE INDEX "inbox_handled" ON "inbox" USING btree ("handled_at");--> statement-breakpoint
CREATE INDEX "outbox_lane" ON "outbox" USING btree ("subject","tenant_id","created_at","id") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "outbox_waiting" ON "outbox" USING btree ("available_at") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "outbox_settled" ON "outbox" USING btree ("created_at") WHERE state in ('done', 'dead');--> statement-breakpoint
CREATE INDEX "outbox_created" ON "outbox" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "outbox_published" ON "outbox" USING btree ("tenant_id","published_at") WHERE state = 'published';--> statement-breakpoint
CREATE INDEX "quarantine_of_session" ON "quarantine" USING btree ("tenant_id","session_id");--> statement-breakpoint
CREATE INDEX "agent_of_session" ON "agent" USING btree ("tenant_id","session_id");--> statement-breakpoint
CREATE INDEX "agent_live" ON "agent" USING btree ("tenant_id") WHERE live_by is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_name" ON "agent" USING btree ("tenant_id","session_id","name") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "replica_incarnation" ON "replica" USING btree ("incarnation");--> statement-breakpoint
CREATE INDEX "session_owner_replica" ON "session_owner" USING btree ("replica_id","tenant_id","session_id") WHERE released_at is null;--> statement-breakpoint
CREATE INDEX "session_owner_incarnation" ON "session_owner" USING btree ("incarnation") WHERE released_at is null;--> statement-breakpoint
CREATE INDEX "session_owner_moving" ON "session_owner" USING btree ("incarnation") WHERE move_to is not null and released_at is null;--> statement-breakpoint
CREATE INDEX "participant_of_user" ON "participant" USING btree ("tenant_id","user_id");--> statement-breakpoint
CREATE INDEX "session_list" ON "session" USING btree ("tenant_id","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "session_list_of_status" ON "session" USING btree ("tenant_id","status","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "session_list_of_external_id" ON "session" USING btree ("tenant_id","external_id","created_at","id") WHERE deleted_at is null and external_id is not null;--> statement-breakpoint
CREATE INDEX "session_parked" ON "session" USING btree ("tenant_id","id") WHERE parked_at is not null;--> statement-breakpoint
CREATE INDEX "session_prunable" ON "session" USING btree ("tenant_id","ended_at") WHERE status = 'ended' and pruned_at is null and not legal_hold;--> statement-breakpoint
CREATE INDEX "audit_log_list" ON "audit_log" USING btree ("tenant_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "audit_log" USING btree ("tenant_id","action","at","id");--> statement-breakpoint
CREATE INDEX "model_use_of_session" ON "model_use" USING btree ("tenant_id","session_id","day");
--> statement-breakpoint
-- Row-level security, also for the owner of a table.
do $$
declare table_name text;
begin
  foreach table_name in array array[
    'access_grant', 'agent', 'api_key', 'attachment', 'attachment_name', 'audit_log', 'blob', 'capability_contradiction', 'capability_override',
    'catalog_contradiction', 'checkpoint', 'checkpoint_pack', 'day_use', 'dead_letter', 'delivery', 'delivery_transition', 'idempotency',
    'inbox', 'message', 'message_attachment', 'message_text', 'model_use', 'outbox', 'participant', 'profile_probe', 'projection_job',
    'quarantine', 'replica', 'session', 'session_log', 'session_owner', 'sweep', 'tenant', 'tenant_secret', 'tenant_user', 'variant',
    'wire_finding']
  loop
    execute format('alter table %I enable row level security', table_name);
    execute format('alter table %I force row level security', table_name);
  end loop;
end $$;
--> statement-breakpoint
-- A table with content admits only rows of the tenant that the transaction has entered.
do $$
declare table_name text;
begin
  foreach table_name in array array[
    'access_grant', 'agent', 'api_key', 'attachment', 'attachment_name', 'audit_log', 'blob', 'capability_contradiction', 'capability_override',
    'checkpoint', 'checkpoint_pack', 'day_use', 'delivery', 'delivery_transition', 'idempotency', 'message', 'message_attachment', 'model_use',
    'participant', 'projection_job', 'quarantine', 'session', 'session_log', 'tenant', 'tenant_secret', 'tenant_user', 'variant', 'wire_finding']
  loop
    execute format('create policy tenant_only on %I for all to attache_app, attache_ingest_app, attache_projector_app, attache_gateway_app, attache_operator_app
      using (tenant_id = (select attache_tenant_id())) with check (tenant_id = (select attache_tenant_id()))', table_name);
  end loop;
end $$;
--> statement-breakpoint
-- The texts of people: the projector reads those that wait to be prepared, the gateway those that were brought to an agent.
create policy tenant_only on message_text for all to attache_app, attache_ingest_app
  using (tenant_id = (select attache_tenant_id())) with check (tenant_id = (select attache_tenant_id()));
--> statement-breakpoint
create policy waiting_only on message_text for select to attache_projector_app using (tenant_id = (select attache_tenant_id()) and exists (
  select 1 from delivery d where d.tenant_id = message_text.tenant_id and d.message_id = message_text.message_id and d.status = 'queued'));
--> statement-breakpoint
create policy brought_only on message_text for select to attache_gateway_app using (tenant_id = (select attache_tenant_id()) and exists (
  select 1 from delivery d where d.tenant_id = message_text.tenant_id and d.message_id = message_text.message_id and d.writing_at is not null));
--> statement-breakpoint
-- Control tables hold ids only, of all tenants.
create policy worker_all on dead_letter for all to attache_control, attache_gateway_worker, attache_projector_worker, attache_worker using (true) with check (true);
--> statement-breakpoint
create policy worker_all on outbox for all to attache_control, attache_gateway_worker, attache_projector_worker, attache_worker using (true) with check (true);
--> statement-breakpoint
create policy worker_all on replica for all to attache_control, attache_worker using (true) with check (true);
--> statement-breakpoint
create policy worker_all on inbox for all to attache_gateway_worker, attache_projector_worker, attache_worker using (true) with check (true);
--> statement-breakpoint
create policy worker_all on catalog_contradiction for all to attache_gateway_worker, attache_worker using (true) with check (true);
--> statement-breakpoint
create policy worker_all on profile_probe for all to attache_gateway_worker, attache_worker using (true) with check (true);
--> statement-breakpoint
create policy worker_all on session_owner for all to attache_gateway_worker, attache_worker using (true) with check (true);
--> statement-breakpoint
create policy worker_all on sweep for all to attache_projector_worker, attache_worker using (true) with check (true);
--> statement-breakpoint
create policy teller_insert on outbox for insert to attache_teller with check (tenant_id = (select attache_tenant_id()));
--> statement-breakpoint
-- The operator states these, for the plans of every tenant.
create policy app_read on catalog_contradiction for select to attache_app, attache_ingest_app, attache_projector_app, attache_gateway_app, attache_operator_app using (true);
--> statement-breakpoint
create policy app_read on profile_probe for select to attache_app, attache_ingest_app, attache_projector_app, attache_gateway_app, attache_operator_app using (true);
--> statement-breakpoint
-- Look-ups that find a tenant before one is known.
create policy owner_lookup on api_key for select to attache_owner using (true);
--> statement-breakpoint
create policy owner_lookup on attachment for select to attache_owner using (true);
--> statement-breakpoint
create policy owner_lookup on attachment_name for select to attache_owner using (true);
--> statement-breakpoint
create policy owner_lookup on blob for select to attache_owner using (true);
--> statement-breakpoint
create policy owner_lookup on replica for select to attache_owner using (true);
--> statement-breakpoint
create policy owner_lookup on session_owner for select to attache_owner using (true);
--> statement-breakpoint
create policy owner_lookup on tenant for select to attache_owner using (true);
--> statement-breakpoint
-- What pruning of history reads and removes.
create policy pruner_delete on audit_log for delete to attache_pruner using (true);
--> statement-breakpoint
create policy pruner_delete on delivery_transition for delete to attache_pruner using (true);
--> statement-breakpoint
create policy pruner_delete on session_log for delete to attache_pruner using (true);
--> statement-breakpoint
create policy pruner_read on audit_log for select to attache_pruner using (true);
--> statement-breakpoint
create policy pruner_read on delivery for select to attache_pruner using (true);
--> statement-breakpoint
create policy pruner_read on delivery_transition for select to attache_pruner using (true);
--> statement-breakpoint
create policy pruner_read on session for select to attache_pruner using (true);
--> statement-breakpoint
create policy pruner_read on session_log for select to attache_pruner using (true);
--> statement-breakpoint
create policy pruner_read on tenant for select to attache_pruner using (true);
--> statement-breakpoint
create policy pruner_mark on session for update to attache_pruner using (status = 'ended') with check (status = 'ended');
--> statement-breakpoint
-- Rights. What each service may do is also in service-rights.ts; a test compares them.
-- The embedded stack acts inside one tenant as this role. What has happened is not edited: the log, the timeline and the audit log are append-only.
grant select, insert, update, delete on access_grant, agent, api_key, attachment, attachment_name, blob, capability_contradiction, capability_override, day_use, delivery, idempotency,
  message, message_attachment, message_text, model_use, participant, projection_job, quarantine, session, tenant, tenant_secret, tenant_user, variant,
  wire_finding to attache_app;
--> statement-breakpoint
grant select, insert on audit_log, delivery_transition, session_log to attache_app;
--> statement-breakpoint
grant select on catalog_contradiction, profile_probe to attache_app;
--> statement-breakpoint
grant select, insert, delete on checkpoint, checkpoint_pack to attache_app;
--> statement-breakpoint
-- Owns the functions by which services reach control tables.
grant select on outbox to attache_control;
--> statement-breakpoint
grant select, insert, update on replica to attache_control;
--> statement-breakpoint
grant select (replayed_at) on dead_letter to attache_control;
--> statement-breakpoint
grant update (attempts, available_at, claimed_until, deferrals, emission, published_at, settled_at, state) on outbox to attache_control;
--> statement-breakpoint
-- The gateway: deliveries from their claim on, what agents make, what models use and refuse.
grant select, insert on access_grant, attachment, attachment_name, delivery_transition, quarantine, session_log to attache_gateway_app;
--> statement-breakpoint
grant select, update on agent, delivery, session to attache_gateway_app;
--> statement-breakpoint
grant insert on audit_log to attache_gateway_app;
--> statement-breakpoint
grant select, insert, update on blob, day_use, model_use to attache_gateway_app;
--> statement-breakpoint
grant select, insert, delete on capability_contradiction, checkpoint, checkpoint_pack, wire_finding to attache_gateway_app;
--> statement-breakpoint
grant select on capability_override, catalog_contradiction, message_attachment, message_text, profile_probe, tenant, tenant_secret, variant to attache_gateway_app;
--> statement-breakpoint
grant update (condemned_bytes, reserved_bytes, used_bytes) on tenant to attache_gateway_app;
--> statement-breakpoint
grant update (last_used_at) on tenant_secret to attache_gateway_app;
--> statement-breakpoint
-- The gateway on control tables.
grant select, delete on catalog_contradiction to attache_gateway_worker;
--> statement-breakpoint
grant select, insert on dead_letter, inbox to attache_gateway_worker;
--> statement-breakpoint
grant select on outbox to attache_gateway_worker;
--> statement-breakpoint
grant select, insert, update on profile_probe to attache_gateway_worker;
--> statement-breakpoint
grant select, insert, update, delete on session_owner to attache_gateway_worker;
--> statement-breakpoint
grant update (attempts, created_at, reason, replayed_at) on dead_letter to attache_gateway_worker;
--> statement-breakpoint
grant update (attempts, available_at, claimed_until, deferrals, emission, published_at, settled_at, state) on outbox to attache_gateway_worker;
--> statement-breakpoint
-- Ingest: everything that callers make.
grant select, insert, update on access_grant, agent, api_key, attachment, blob, delivery, participant, session, tenant_user to attache_ingest_app;
--> statement-breakpoint
grant select, insert on attachment_name, audit_log, delivery_transition, message, message_attachment, message_text, session_log, tenant to attache_ingest_app;
--> statement-breakpoint
grant select on capability_contradiction, catalog_contradiction, checkpoint_pack, day_use, model_use, profile_probe, variant to attache_ingest_app;
--> statement-breakpoint
grant select, insert, update, delete on capability_override, idempotency, tenant_secret to attache_ingest_app;
--> statement-breakpoint
grant select, delete on checkpoint, quarantine to attache_ingest_app;
--> statement-breakpoint
grant select, insert, delete on projection_job to attache_ingest_app;
--> statement-breakpoint
grant update (condemned_bytes, reserved_bytes, used_bytes) on tenant to attache_ingest_app;
--> statement-breakpoint
-- Operators: tenants, keys, capabilities, and what collection removes.
grant select, insert, update on api_key, tenant to attache_operator_app;
--> statement-breakpoint
grant select, update on attachment, blob, delivery, tenant_secret to attache_operator_app;
--> statement-breakpoint
grant insert on audit_log, session_log to attache_operator_app;
--> statement-breakpoint
grant select, delete on capability_contradiction, variant, wire_finding to attache_operator_app;
--> statement-breakpoint
grant select on catalog_contradiction, checkpoint, checkpoint_pack, message_attachment, session to attache_operator_app;
--> statement-breakpoint
grant select, insert on delivery_transition to attache_operator_app;
--> statement-breakpoint
grant select (context_since, id, removed_at, resident, target_version, tenant_id), update (resident) on agent to attache_operator_app;
--> statement-breakpoint
grant update (last_seq, parked_at) on session to attache_operator_app;
--> statement-breakpoint
-- Owns the look-ups that find a tenant before one is known.
grant select on api_key, attachment, attachment_name, blob, drizzle.__attache_functions, drizzle.__drizzle_migrations, replica, session_owner, tenant to attache_owner;
--> statement-breakpoint
-- The projector: inspections, variants, parts, and upkeep.
grant select, update on attachment, delivery, projection_job to attache_projector_app;
--> statement-breakpoint
grant select on attachment_name, checkpoint, checkpoint_pack, message_attachment, message_text, session, tenant to attache_projector_app;
--> statement-breakpoint
grant select, insert, update on blob to attache_projector_app;
--> statement-breakpoint
grant select, insert on delivery_transition to attache_projector_app;
--> statement-breakpoint
grant delete on idempotency to attache_projector_app;
--> statement-breakpoint
grant insert on session_log to attache_projector_app;
--> statement-breakpoint
grant select, insert, delete on variant to attache_projector_app;
--> statement-breakpoint
grant select (context_since, id, resident, tenant_id), update (resident) on agent to attache_projector_app;
--> statement-breakpoint
grant select (created_at, expires_at, holder, key, route, session_id, state, tenant_id) on idempotency to attache_projector_app;
--> statement-breakpoint
grant update (last_seq) on session to attache_projector_app;
--> statement-breakpoint
grant update (condemned_bytes, reserved_bytes, used_bytes) on tenant to attache_projector_app;
--> statement-breakpoint
-- The projector on control tables.
grant select, insert on dead_letter to attache_projector_worker;
--> statement-breakpoint
grant select, insert, delete on inbox to attache_projector_worker;
--> statement-breakpoint
grant select, delete on outbox to attache_projector_worker;
--> statement-breakpoint
grant select, insert, update on sweep to attache_projector_worker;
--> statement-breakpoint
grant update (attempts, created_at, reason, replayed_at) on dead_letter to attache_projector_worker;
--> statement-breakpoint
grant update (attempts, available_at, claimed_until, deferrals, emission, published_at, settled_at, state) on outbox to attache_projector_worker;
--> statement-breakpoint
-- Owns the functions that prune history.
grant select, delete on audit_log, delivery_transition, session_log to attache_pruner;
--> statement-breakpoint
grant select on delivery, session, tenant to attache_pruner;
--> statement-breakpoint
grant update (pruned_at) on session to attache_pruner;
--> statement-breakpoint
-- Owns the function by which services write their own messages into the outbox.
grant insert on outbox to attache_teller;
--> statement-breakpoint
-- The embedded stack and operators on control tables.
grant select, insert, update, delete on catalog_contradiction, dead_letter, inbox, outbox, profile_probe, replica, session_owner, sweep to attache_worker;
--> statement-breakpoint
grant usage on schema drizzle to attache_owner;
--> statement-breakpoint
-- Triggers keep sums and what is remembered in step.
create trigger count_condemned after update on blob referencing old table as blobs_before new table as blobs_after for each statement execute function attache_count_condemned();
--> statement-breakpoint
create trigger forget_agent after update of removed_at, target_version on agent for each row when (((old.removed_at is distinct from new.removed_at) or (old.target_version <> new.target_version))) execute function attache_forget_agent();
--> statement-breakpoint
create trigger forget_deleted after update of deleted_at on attachment for each row when (((old.deleted_at is null) and (new.deleted_at is not null))) execute function attache_forget_deleted();
--> statement-breakpoint
create trigger forget_session after update of status on session for each row when (((old.status = 'active') and (new.status = 'ended'))) execute function attache_forget_session();
--> statement-breakpoint
create trigger keep_held after insert or delete or update of status, held, left_before, writing_at, plan on delivery for each row execute function attache_keep_held();
--> statement-breakpoint
create trigger recount_held before update of context_since on agent for each row execute function attache_recount_held();
