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
	"status" text DEFAULT 'idle' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"removed_at" timestamp (3) with time zone,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "agent_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
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
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "api_key_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
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
	"name" text NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "attachment_name_tenant_id_attachment_id_pk" PRIMARY KEY("tenant_id","attachment_id")
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
CREATE TABLE "blob" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"key" text NOT NULL,
	"store_id" text NOT NULL,
	"enc_key_id" text DEFAULT 'none' NOT NULL,
	"state" text DEFAULT 'reserved' NOT NULL,
	"reserved_bytes" bigint DEFAULT 0 NOT NULL,
	"size_bytes" bigint,
	"sha256" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"condemned_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "blob_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
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
	"available_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"claimed_until" timestamp (3) with time zone,
	"settled_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "outbox_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
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
CREATE TABLE "replica" (
	"id" text PRIMARY KEY NOT NULL,
	"incarnation" uuid NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"lease_until" timestamp (3) with time zone NOT NULL,
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
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "session_owner_tenant_id_session_id_pk" PRIMARY KEY("tenant_id","session_id")
);
--> statement-breakpoint
CREATE TABLE "sweep" (
	"name" text PRIMARY KEY NOT NULL,
	"last_run_at" timestamp (3) with time zone NOT NULL,
	"found" integer DEFAULT 0 NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL
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
	"parts" jsonb,
	"failure" jsonb,
	"receipt" jsonb,
	"trace" jsonb,
	"trace_id" text NOT NULL,
	"writing_at" timestamp (3) with time zone,
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
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "idempotency_tenant_id_route_session_id_key_pk" PRIMARY KEY("tenant_id","route","session_id","key")
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
CREATE TABLE "participant" (
	"tenant_id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"rights" text[] NOT NULL,
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
CREATE TABLE "session" (
	"tenant_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"external_id" text,
	"status" text DEFAULT 'active' NOT NULL,
	"last_seq" bigint DEFAULT 0 NOT NULL,
	"replay_policy" jsonb NOT NULL,
	"conversions" text DEFAULT 'allow' NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	"legal_hold" boolean DEFAULT false NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "session_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
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
CREATE TABLE "tenant" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"max_upload_bytes" bigint,
	"quota_bytes" bigint,
	"reserved_bytes" bigint DEFAULT 0 NOT NULL,
	"used_bytes" bigint DEFAULT 0 NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"legal_hold" boolean DEFAULT false NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "tenant_name_unique" UNIQUE("name")
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
	"crop" jsonb,
	"warnings" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"schema_version" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "variant_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
ALTER TABLE "access_grant" ADD CONSTRAINT "access_grant_tenant_id_attachment_id_attachment_tenant_id_id_fk" FOREIGN KEY ("tenant_id","attachment_id") REFERENCES "public"."attachment"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "access_grant" ADD CONSTRAINT "access_grant_tenant_id_agent_id_agent_tenant_id_id_fk" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "public"."agent"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent" ADD CONSTRAINT "agent_tenant_id_session_id_session_tenant_id_id_fk" FOREIGN KEY ("tenant_id","session_id") REFERENCES "public"."session"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_tenant_id_session_id_session_tenant_id_id_fk" FOREIGN KEY ("tenant_id","session_id") REFERENCES "public"."session"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment" ADD CONSTRAINT "attachment_tenant_id_blob_id_blob_tenant_id_id_fk" FOREIGN KEY ("tenant_id","blob_id") REFERENCES "public"."blob"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachment_name" ADD CONSTRAINT "attachment_name_tenant_id_attachment_id_attachment_tenant_id_id_fk" FOREIGN KEY ("tenant_id","attachment_id") REFERENCES "public"."attachment"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "blob" ADD CONSTRAINT "blob_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_tenant_id_message_id_message_tenant_id_id_fk" FOREIGN KEY ("tenant_id","message_id") REFERENCES "public"."message"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_tenant_id_agent_id_agent_tenant_id_id_fk" FOREIGN KEY ("tenant_id","agent_id") REFERENCES "public"."agent"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "delivery_transition" ADD CONSTRAINT "delivery_transition_tenant_id_delivery_id_delivery_tenant_id_id_fk" FOREIGN KEY ("tenant_id","delivery_id") REFERENCES "public"."delivery"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message" ADD CONSTRAINT "message_tenant_id_session_id_session_tenant_id_id_fk" FOREIGN KEY ("tenant_id","session_id") REFERENCES "public"."session"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_attachment" ADD CONSTRAINT "message_attachment_tenant_id_message_id_message_tenant_id_id_fk" FOREIGN KEY ("tenant_id","message_id") REFERENCES "public"."message"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_attachment" ADD CONSTRAINT "message_attachment_tenant_id_attachment_id_attachment_tenant_id_id_fk" FOREIGN KEY ("tenant_id","attachment_id") REFERENCES "public"."attachment"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_text" ADD CONSTRAINT "message_text_tenant_id_message_id_message_tenant_id_id_fk" FOREIGN KEY ("tenant_id","message_id") REFERENCES "public"."message"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "participant" ADD CONSTRAINT "participant_tenant_id_session_id_session_tenant_id_id_fk" FOREIGN KEY ("tenant_id","session_id") REFERENCES "public"."session"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "participant" ADD CONSTRAINT "participant_tenant_id_user_id_tenant_user_tenant_id_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."tenant_user"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenant_user" ADD CONSTRAINT "tenant_user_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session" ADD CONSTRAINT "session_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_log" ADD CONSTRAINT "session_log_tenant_id_session_id_session_tenant_id_id_fk" FOREIGN KEY ("tenant_id","session_id") REFERENCES "public"."session"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "variant" ADD CONSTRAINT "variant_tenant_id_blob_id_blob_tenant_id_id_fk" FOREIGN KEY ("tenant_id","blob_id") REFERENCES "public"."blob"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "access_grant_of_agent" ON "access_grant" USING btree ("tenant_id","agent_id","attachment_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_name" ON "agent" USING btree ("tenant_id","session_id","name") WHERE removed_at is null;--> statement-breakpoint
CREATE INDEX "attachment_of_session" ON "attachment" USING btree ("tenant_id","session_id","created_at","id");--> statement-breakpoint
CREATE INDEX "audit_log_at" ON "audit_log" USING btree ("tenant_id","at");--> statement-breakpoint
CREATE INDEX "blob_sha256" ON "blob" USING btree ("tenant_id","sha256");--> statement-breakpoint
CREATE INDEX "blob_unsettled" ON "blob" USING btree ("state","created_at") WHERE state in ('reserved', 'condemned');--> statement-breakpoint
CREATE INDEX "outbox_waiting" ON "outbox" USING btree ("available_at") WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX "outbox_created" ON "outbox" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "delivery_of_agent" ON "delivery" USING btree ("tenant_id","agent_id","message_seq");--> statement-breakpoint
CREATE INDEX "delivery_of_session" ON "delivery" USING btree ("tenant_id","session_id","status");--> statement-breakpoint
CREATE INDEX "delivery_transition_at" ON "delivery_transition" USING btree ("at");--> statement-breakpoint
CREATE INDEX "session_log_at" ON "session_log" USING btree ("at");--> statement-breakpoint
CREATE INDEX "variant_of_source" ON "variant" USING btree ("tenant_id","source_sha256");