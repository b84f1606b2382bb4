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
ALTER TABLE "agent" ADD COLUMN "context_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "variant" ADD COLUMN "page" integer;--> statement-breakpoint
ALTER TABLE "capability_override" ADD CONSTRAINT "capability_override_tenant_id_tenant_tenant_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenant"("tenant_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projection_job" ADD CONSTRAINT "projection_job_tenant_id_session_id_session_tenant_id_id_fk" FOREIGN KEY ("tenant_id","session_id") REFERENCES "public"."session"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "projection_job_age" ON "projection_job" USING btree ("tenant_id","created_at");--> statement-breakpoint
do $$
declare content_table text;
begin
  foreach content_table in array array['capability_override', 'projection_job'] loop
    execute format('alter table %I enable row level security', content_table);
    execute format('alter table %I force row level security', content_table);
    execute format('create policy tenant_only on %I for all to attache_app using (tenant_id = attache_tenant_id()) with check (tenant_id = attache_tenant_id())', content_table);
    execute format('grant select, insert, update, delete on %I to attache_app', content_table);
  end loop;
end $$;
--> statement-breakpoint
-- What the runtime of each agent holds, or will hold once what waits for it is written: the sums of the plans' budgets. Inside a tenant.
create function attache_resident(p_agents uuid[]) returns jsonb language plpgsql stable as $$
declare found jsonb;
begin
  select coalesce(jsonb_object_agg(held.agent_id, held.sums), '{}'::jsonb) into found from (
    select d.agent_id, jsonb_build_object(
        'bytes', coalesce(sum((d.plan->'budget'->'bytes'->>'used')::numeric), 0), 'pixels', coalesce(sum((d.plan->'budget'->'pixels'->>'used')::numeric), 0),
        'images', coalesce(sum((d.plan->'budget'->'images'->>'used')::numeric), 0), 'pages', coalesce(sum((d.plan->'budget'->'pages'->>'used')::numeric), 0)) as sums
      from delivery d join agent a on a.tenant_id = d.tenant_id and a.id = d.agent_id
      where d.tenant_id = attache_tenant_id() and d.agent_id = any(p_agents)
        and (d.status in ('queued', 'prepared', 'claimed', 'written') or (d.status in ('responded', 'failed') and d.writing_at >= a.context_since))
      group by d.agent_id) held;
  return found;
end $$;
--> statement-breakpoint
alter function attache_resident(uuid[]) set plan_cache_mode = 'force_generic_plan';
--> statement-breakpoint
-- What a message names, to plan it. Null where there is no such session. What an agent holds counts only beside attachments.
create or replace function attache_read_named(p jsonb) returns jsonb language plpgsql as $$
declare in_session uuid := (p->>'sessionId')::uuid; the_session jsonb; agents jsonb; profiles text[]; ids uuid[]; overrides jsonb; resident jsonb := '{}'::jsonb;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  select to_jsonb(s) into the_session from session s where s.tenant_id = attache_tenant_id() and s.id = in_session and s.deleted_at is null;
  if the_session is null then return null; end if;
  select coalesce(jsonb_agg(to_jsonb(a)), '[]'::jsonb), coalesce(array_agg(distinct a.profile), '{}'), coalesce(array_agg(a.id), '{}') into agents, profiles, ids from agent a
    where a.tenant_id = attache_tenant_id() and a.session_id = in_session and a.removed_at is null
      and a.id in (select jsonb_array_elements_text(p->'agentIds')::uuid);
  if jsonb_array_length(p->'attachmentIds') > 0 then resident := attache_resident(ids); end if;
  select coalesce(jsonb_agg(to_jsonb(o)), '[]'::jsonb) into overrides from capability_override o where o.tenant_id = attache_tenant_id() and o.profile = any(profiles);
  return jsonb_build_object('session', the_session, 'agents', agents, 'probes', attache_newest_probes(profiles), 'overrides', overrides, 'resident', resident,
    'attachments', attache_stored_attachments(array(select jsonb_array_elements_text(p->'attachmentIds')::uuid)));
end $$;
--> statement-breakpoint
-- A job that waits, with the attachments that its plan names; null where it was done or given up.
create function attache_read_projection(p_tenant uuid, p_job uuid) returns jsonb language plpgsql as $$
declare job projection_job%rowtype;
begin
  perform attache_enter(p_tenant);
  select * into job from projection_job where tenant_id = attache_tenant_id() and id = p_job and state = 'waiting';
  if not found then return null; end if;
  return jsonb_build_object('row', to_jsonb(job));
end $$;
--> statement-breakpoint
-- The end of a job, once. False: it was ended before, or given up.
create function attache_settle_projection(p jsonb) returns jsonb language plpgsql as $$
declare settled boolean;
begin
  perform attache_enter((p->>'tenantId')::uuid);
  if not attache_mark_handled((p->>'eventId')::uuid, 'projector') then return to_jsonb(false); end if;
  update projection_job set state = p->>'state', parts = p->'parts', failure = p->'failure'
    where tenant_id = attache_tenant_id() and id = (p->>'jobId')::uuid and state = 'waiting' returning true into settled;
  return to_jsonb(coalesce(settled, false));
end $$;
