ALTER TABLE "quarantine" ADD COLUMN "occurrences" integer;--> statement-breakpoint
-- What was set aside is set aside up to a later place, or refused.
grant update (attachment_id, code, created_at, is_group, occurrences, target_version) on quarantine to attache_gateway_app;
