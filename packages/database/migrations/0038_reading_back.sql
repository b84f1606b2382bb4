ALTER TABLE "api_key" ADD COLUMN "last_used_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "session_list" ON "session" USING btree ("tenant_id","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "session_list_of_status" ON "session" USING btree ("tenant_id","status","created_at","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "session_list_of_external_id" ON "session" USING btree ("tenant_id","external_id","created_at","id") WHERE deleted_at is null and external_id is not null;